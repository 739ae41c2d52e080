package import StoreCore

/// Makes the state of the records that an opening journal checks, so that each is read and hashed
/// once.
package protocol HistoryFollower: AnyObject {
    /// Whether it goes on from the snapshot that the records follow, up to `newest`. The programs
    /// have written them. Nothing more comes where it does not.
    func begins(
        with snapshot: StateSnapshot,
        newest: UInt64,
        writtenBy programs: [KeptProgram]
    ) -> Bool

    /// Takes the next records. Nothing more comes where it answers `false`.
    func follow(_ page: borrowing RecordPage) -> Bool

    /// Forgets what it has made: the journal is damaged, and what it will have is not known yet.
    func forget()
}
