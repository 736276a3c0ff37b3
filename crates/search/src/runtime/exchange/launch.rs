//! Detects whether a launcher of MPI programs has started several processes.

/// Variables that launchers set to the number of processes that they start: Open MPI, MPICH and others with PMI, and
/// `srun` of Slurm.
const SIZE_VARIABLES: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"];

/// The variable with which a launcher says that it has started several processes, and its value.
#[must_use]
pub fn launcher_variable() -> Option<(&'static str, String)> {
    let several = |variable: &'static str| {
        let value = std::env::var(variable).ok()?;
        value.trim().parse::<u32>().is_ok_and(|processes| processes > 1).then_some((variable, value))
    };
    SIZE_VARIABLES.into_iter().find_map(several)
}
