//! Phases: the ranks work until no rank works and no parcel is under way.

use super::{Control, Exchange, Message};
use crate::runtime::crew::Crew;
use std::sync::atomic::Ordering::SeqCst;

impl Exchange {
    /// Whether no rank works and no parcel is under way. The answer holds only while no worker of this rank works.
    #[inline]
    pub(crate) fn is_phase_over(&self) -> bool {
        self.is_phase_over.load(SeqCst)
    }

    /// Contributes to the wave under way, if this rank has not done so and no worker of `crew` is active.
    /// `is_outbox_empty` says whether nothing waits to be sent.
    pub(crate) fn contribute(&self, crew: &Crew, is_outbox_empty: impl Fn() -> bool) {
        let Ok(mut control) = self.control.try_lock() else { return };
        // The counts are read under the lock, because they must not be older than the wave. A contribution after the
        // end of a phase would count for the next phase, before this rank has begun it.
        if control.waves.needs_own_counts()
            && !self.is_phase_over()
            && let Some(Some(counts)) = crew.read_if_idle(|| is_outbox_empty().then(|| self.parcels.counts()))
        {
            control.waves.contribute(counts);
            self.forward_counts(&mut control);
        }
    }

    /// Begins a phase.
    pub(crate) fn begin_phase(&self) {
        self.is_phase_over.store(false, SeqCst);
    }

    /// Sends the counts of this part of the tree upward if they are complete.
    pub(super) fn forward_counts(&self, control: &mut Control) {
        let Some((wave, counts)) = control.waves.take_sum() else { return };
        match control.waves.tree.parent() {
            Some(parent) => self.send(parent, &Message::WaveCounts(wave, counts)),
            None => {
                let is_over = control.waves.compare_with_previous(counts);
                self.end_wave(wave, is_over, control);
            }
        }
    }

    /// Ends a wave in this part of the tree.
    pub(super) fn end_wave(&self, wave: u64, is_over: bool, control: &mut Control) {
        for child in control.waves.tree.children() {
            self.send(child, &Message::WaveEnd(wave, is_over));
        }
        control.waves.end(wave);
        if is_over {
            self.is_phase_over.store(true, SeqCst);
        }
    }
}
