package import StoreCore

/// An object that makes the state of the records while an opening journal checks them. So each
/// record is read and hashed only once.
package protocol HistoryFollower: AnyObject {
    /// Begins with the snapshot. Returns false if the follower can't continue from it; then it gets
    /// no records. The records after the snapshot reach up to `newest`, and are written by
    /// `programs` or by unknown programs.
    func begins(
        with snapshot: StateSnapshot,
        newest: UInt64,
        writtenBy programs: [RegisteredProgram]
    ) -> Bool

    /// Processes the next records. If the result is false, the follower gets no more records.
    func follow(_ page: borrowing RecordPage) -> Bool

    /// Discards the results: the journal is damaged, and its final contents are not known yet.
    func forget()
}
