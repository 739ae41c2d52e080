/// A member of an action with data about a person. A journal keeps the value in a form that can't
/// be read after the person was forgotten.
package struct PersonalMember: Sendable, Equatable {
    /// The tokens of the pointer (RFC 6901) to the value in the payload. The token `*` stands for
    /// each element of an array, and for each member of an object.
    package let path: [String]
    /// The tokens of the pointer to the name of the person in the payload; `nil` if the value
    /// belongs to the dispatcher of the action.
    package let ownerPath: [String]?

    package init(path: [String], ownerPath: [String]? = nil) {
        self.path = path
        self.ownerPath = ownerPath
    }
}

/// The personal members of the action with a wire name; empty if the action has none.
package typealias PersonalMemberLookup = @Sendable (_ wireName: String) -> [PersonalMember]

/// A journal that can forget the personal members of owners.
package protocol ForgettingJournal: Journal {
    /// The version of the oldest state that can still be made, if earlier snapshots were deleted to
    /// forget a person. The version is 0 if no snapshot was deleted, and `UInt64.max` if no
    /// snapshot can be read.
    var oldestRestorableVersion: UInt64 { get }

    /// Begins a forget. The records with this origin are the actions that remove the owners from
    /// the state. ``forget(_:keeping:)`` then makes the values unreadable that come before the last
    /// of these records, and no later value. Without such a record, ``forget(_:keeping:)`` makes
    /// all values unreadable that come before its call.
    func prepareForget(_ owners: [String], origin: String)

    /// Makes the personal members of owners unreadable in all records, and all earlier snapshots
    /// and the owners' idempotency keys with them.
    ///
    /// The call saves the snapshot before it destroys a key. So if the process ends during the
    /// call, a start can still read the new snapshot or an older snapshot. A repeated call
    /// completes the work.
    ///
    /// - Parameters:
    ///   - owners: `@` and the name of a user, or `~` and the session of a visitor.
    ///   - snapshot: returns the newest durable state, without the owners' values. The state must
    ///     have the version in the argument `version`, or a later version. The journal saves no
    ///     other snapshot meanwhile.
    /// - Returns: the version of the snapshot.
    /// - Throws: the error of `snapshot`, or a ``JournalError``.
    func forget(
        _ owners: [String],
        keeping snapshot: (_ version: UInt64) throws -> StateSnapshot
    ) throws -> UInt64
}
