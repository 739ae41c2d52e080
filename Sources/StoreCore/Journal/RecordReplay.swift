/// A pass over the records of a history, in their order. For each record, the pass makes an action
/// of today's program, passes the action to a reducer, and reports the progress.
///
/// Every replay uses this type: at a start, for past versions, for imports, and for the records of
/// other writers. Only one thread at a time may use a value of this type.
package struct RecordReplay {
    private let reader: any ActionReader
    private var counter: ProgressCounter?

    package init(_ reader: any ActionReader, _ counter: ProgressCounter? = nil) {
        self.reader = reader
        self.counter = counter
    }

    /// Makes the action of a record, and passes the action to `reduce` with the record's session
    /// and origin. Returns `false` if a migration drops the record.
    ///
    /// - Throws: ``UnreadableRecord``, or the error of `reduce`. The texts of both errors are for
    ///   the operator.
    @discardableResult
    package mutating func reduce(
        _ record: RecordView,
        by reduce: (any Action, _ session: String?, ReducerContextSource) throws -> Void
    ) throws -> Bool {
        guard let action = try reader.action(of: record) else {
            counter?.advance(to: record.version)
            return false
        }
        let session = record.session.map { String(decoding: $0, as: UTF8.self) }
        try reduce(action, session, ReducerContextSource(record))
        counter?.advance(to: record.version)
        return true
    }

    /// Makes the action of a stored record, and passes the action to `reduce` with the record's
    /// session and origin.
    @discardableResult
    package mutating func reduce(
        _ record: Record,
        by reduce: (any Action, _ session: String?, ReducerContextSource) throws -> Void
    ) throws -> Bool {
        try record.withView { view throws in try self.reduce(view, by: reduce) }
    }

    /// Checks that the action of a record can be made, without reducing the action.
    package mutating func check(_ record: Record) throws(UnreadableRecord) {
        _ = try record.withView { view throws(UnreadableRecord) in try reader.action(of: view) }
    }

    package func finish() { counter?.finish() }
}

/// A reader that makes actions of today's program from records. Only one thread at a time may use a
/// reader.
package protocol ActionReader: AnyObject, Sendable {
    /// Returns the action of a record; `nil` if a migration drops the record.
    ///
    /// - Throws: the reason why the record can't be read.
    func action(of record: RecordView) throws(UnreadableRecord) -> (any Action)?
}

/// The error for a record from which today's program can't make an action.
package struct UnreadableRecord: Error, CustomStringConvertible {
    /// The wire name in the record, with `{id}` in place of an instance's id.
    package let type: String
    package let version: UInt64
    package let reason: String

    package init(type: String, version: UInt64, reason: String) {
        self.type = type
        self.version = version
        self.reason = reason
    }

    package var description: String { reason }
}
