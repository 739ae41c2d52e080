import StoreCore

/// Adds a text to a list of texts.
struct Added: Action {
    let text: String
}

/// A reader that makes the action of a record from its wire name alone.
final class TypeReader: ActionReader {
    let make: @Sendable (String) throws(UnreadableRecord) -> (any Action)?

    init(_ make: @escaping @Sendable (String) throws(UnreadableRecord) -> (any Action)?) {
        self.make = make
    }

    func action(of record: RecordView) throws(UnreadableRecord) -> (any Action)? {
        try make(String(decoding: record.type, as: UTF8.self))
    }
}

/// A Core on the caller's thread, whose actions are read from records by their type alone.
final class TextWriter: Sendable {
    let journal: any Journal
    let sink = RecordingSink<[String]>()
    let failures = Journaled<JournalError>()
    let dropped = Journaled<String>()
    let core: Core<[String]>

    init(
        _ journal: any Journal,
        driver: CoreConfiguration<[String]>.Driver = .caller,
        reader: any ActionReader = TypeReader { Added(text: $0) }
    ) {
        self.journal = journal
        var configuration = CoreConfiguration<[String]>()
        configuration.journal = journal
        configuration.sink = sink
        configuration.driver = driver
        configuration.statesDiffer = { $0 != $1 }
        configuration.reader = reader
        configuration.onJournalFailure = { [failures] in failures.add($0) }
        configuration.follower = RecordingFollower(unread: failures)
        core = Core(state: [], reducer: .throwing(Self.add), configuration: configuration)
    }

    @discardableResult
    func send(
        _ texts: String...,
        expecting version: UInt64? = nil,
        key: String? = nil
    ) throws -> Outcomes {
        let outcomes = Outcomes()
        try core.engine.offer(
            Envelope(
                members: texts.map { .init(action: Added(text: $0), type: $0) },
                condition: version.map { VersionCondition($0) },
                idempotency: key.map {
                    Idempotency(key: IdempotencyKey(key: $0), fingerprint: [1])
                },
                returnsState: true,
                completion: outcomes
            )
        )
        return outcomes
    }
}

extension TextWriter {
    /// Adds a text, and refuses a text that the list has.
    static func add(_ state: inout [String], _ action: any Action) throws {
        guard let action = action as? Added else { return }
        guard !state.contains(action.text) else { throw Refusal(reason: "It is there.") }
        state.append(action.text)
    }
}
