import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// Consequences of actions: each is bound to its own action.
@Suite struct ConsequenceTests {
    private typealias List = [String]

    private struct Echo: Action {}
    private struct Unknown: Action {}

    private let step = StepChangeRequested(step: 1)

    private func member(_ action: any Action) -> EnvelopeMember {
        EnvelopeMember(action: action, type: "\(type(of: action))", payload: Array("{}".utf8))
    }

    private func core(
        _ configure: (inout CoreConfiguration<List>) -> Void
    ) -> Core<List> {
        var configuration = CoreConfiguration<List>()
        configuration.statesDiffer = { $0 != $1 }
        configure(&configuration)
        return Core(
            state: [],
            reducer: .throwing { state, action in
                if action is Forbidden { throw Refusal(reason: "Not this one.") }
                state.append("\(type(of: action))")
            },
            configuration: configuration
        )
    }

    @Test func `each action of an array is the cause of its reactions' actions`() throws {
        let journal = FaultyJournal()
        let core = core { $0.journal = journal }
        let seen = Journaled<[Int]>()
        core.add(
            reaction: .onDispatch(of: StepChangeRequested.self) { _, old, new in
                seen.add([old.count, new.count])
                return Echo()
            }
        )
        let outcomes = Outcomes()
        try core.engine.offer(
            Envelope(members: [member(step), member(step)], completion: outcomes)
        )
        let records = try journal.read(JournalPageRequest(after: 0, limit: 10)).records
        #expect(records.map(\.cause) == [nil, nil, 1, 2])
        #expect(seen.values == [[0, 1], [1, 2]])
    }

    @Test(arguments: [EnvelopeMode.dryRun, .apply])
    func `reactions see applied actions alone`(mode: EnvelopeMode) throws {
        let core = core { _ in }
        let seen = Journaled<Int>()
        core.add(
            reaction: .onStateChange { _, new in
                seen.add(new.count)
                return nil
            }
        )
        // An array that is refused in the middle, or a dry run.
        let members = [member(step), member(mode == .apply ? Forbidden() : step)]
        try core.engine.offer(Envelope(members: members, mode: mode, completion: Outcomes()))
        #expect(seen.values.isEmpty)
        _ = core.dispatch(step)
        #expect(seen.values == [1])
    }

    @Test func `interceptors judge dry runs, and refuse them with the same reason`() throws {
        let core = core { _ in }
        core.add(interceptor: { _, _, _ in throw Refusal.forbidden("The shop is closed.") })
        for mode in [EnvelopeMode.dryRun, .apply] {
            let outcomes = Outcomes()
            try core.engine.offer(
                Envelope(members: [member(step)], mode: mode, completion: outcomes)
            )
            guard case .refused(let refusal, member: 0) = outcomes.all.values.first else {
                Issue.record("It was not refused.")
                continue
            }
            #expect(refusal == .forbidden("The shop is closed."))
        }
    }

    @Test func `an action that has no wire name is refused, counted and reported`() {
        let follower = RecordingFollower()
        let core = core { configuration in
            configuration.makeMember = { action in
                guard !(action is Unknown) else { throw Refusal(reason: "It has no name.") }
                return EnvelopeMember(action: action, type: "\(type(of: action))")
            }
            configuration.follower = follower
        }
        #expect(!core.dispatch(Unknown()))
        #expect(core.dispatch(Echo()))
        #expect(core.droppedTotal == 1)
        #expect(follower.droppedActions.values.map(\.type) == ["Unknown"])
    }

    @Test func `actions of the program have a bound of their own`() throws {
        let refusals = Journaled<String>()
        let core = core { configuration in
            configuration.driver = .thread
            configuration.clientMailboxMax = 1
            configuration.programMailboxMax = 2
        }
        for _ in 0..<3 {
            let source = ActionSource(sourceLocation: "here")
            let outcomes = Outcomes()
            let envelope = Envelope(members: [member(Echo())], source: source, completion: outcomes)
            if refusals.values.isEmpty {
                do { try core.engine.offer(envelope) } catch { refusals.add("\(error)") }
            }
        }
        #expect(refusals.values == ["full"])
        // Clients have a bound of their own.
        try core.engine.offer(Envelope(members: [member(step)], completion: Outcomes()))
        core.start()
        core.stop()
    }
}
