//! Functions that are compiled for several instruction sets. The processor decides at run time which version runs.

/// An instruction set that hot functions are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The instructions that every processor of the target has.
    Baseline,
    /// x86-64-v3: 256-bit vectors and bit counting.
    #[cfg(target_arch = "x86_64")]
    V3,
}

impl Level {
    /// The level of this processor. It is detected once.
    #[inline]
    #[must_use]
    pub fn of_processor() -> Self {
        static LEVEL: std::sync::OnceLock<Level> = std::sync::OnceLock::new();
        *LEVEL.get_or_init(Self::detect)
    }

    #[cfg(target_arch = "x86_64")]
    fn detect() -> Self {
        use std::arch::is_x86_feature_detected as has;
        let v3 = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
        if v3 { Self::V3 } else { Self::Baseline }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Self {
        Self::Baseline
    }
}

/// Defines a function that calls `$body`, compiled once for each [`Level`]; the processor's level runs. `$body` is an
/// `#[inline(always)]` function with the same parameters. A type parameter comes after the constants, separated by `;`.
#[macro_export]
macro_rules! multiversion {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident$(<$(const $W:ident: usize),+ $(; $T:ident: $Trait:path)?>)?($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)?
        = $body:ident
    ) => {
        $(#[$meta])*
        #[inline]
        $vis fn $name$(<$($T: $Trait,)? $(const $W: usize),+>)?($($arg: $type),*) $(-> $ret)? {
            // Not inlined: otherwise the body would be compiled again wherever the dispatcher is inlined.
            #[inline(never)]
            fn baseline$(<$($T: $Trait,)? $(const $W: usize),+>)?($($arg: $type),*) $(-> $ret)? {
                $body($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn v3$(<$($T: $Trait,)? $(const $W: usize),+>)?($($arg: $type),*) $(-> $ret)? {
                $body($($arg),*)
            }
            match $crate::platform::multiversion::Level::of_processor() {
                $crate::platform::multiversion::Level::Baseline => baseline($($arg),*),
                // SAFETY: this level is selected only if the processor has every feature that the function enables.
                #[cfg(target_arch = "x86_64")]
                $crate::platform::multiversion::Level::V3 => unsafe { v3($($arg),*) },
            }
        }
    };
}
