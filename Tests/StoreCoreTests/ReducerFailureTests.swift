import StorePlatform
import Synchronization
import Testing

@testable import StoreCore

@Suite struct ReducerFailureTests {
    private struct Defect: Error, CustomStringConvertible {
        var description: String { "the password is 4711" }
    }

    private struct Step: Action {}

    private let follower = RecordingFollower()

    /// Returns a Core whose reducer always fails.
    private func core(journaled: Bool) -> Core<Int> {
        var configuration = CoreConfiguration<Int>()
        configuration.follower = follower
        if journaled { configuration.journal = MemoryJournal() }
        return Core(
            state: 0,
            reducer: .throwing { _, _ in throw Defect() },
            configuration: configuration
        )
    }

    @Test(arguments: [EnvelopeMode.apply, .dryRun])
    func `an error that is no refusal is reported, and shown to no client`(_ mode: EnvelopeMode)
        throws
    {
        let outcomes = Outcomes()
        let core = core(journaled: true)
        try core.engine.offer(
            Envelope(
                members: [EnvelopeMember(action: Step(), type: "step")],
                requestID: "r-1",
                mode: mode,
                completion: outcomes
            )
        )
        guard case .refused(let refusal, member: 0) = outcomes.all.values.first else {
            Issue.record("It was not refused: \(outcomes.all.values)")
            return
        }
        #expect(refusal.reason == "The reducer failed; the server's log has the reason.")
        #expect(!"\(refusal)".contains("4711"))
        #expect(!refusal.isForbidden)
        #expect(refusal.reducerError is Defect)
        let failure = try #require(follower.failures.values.first)
        #expect(follower.failures.values.count == 1)
        #expect(failure.type == "step")
        #expect(failure.requestID == "r-1")
        #expect(failure.error is Defect)
    }

    @Test func `a dispatch in process gets the error with the refusal`() async throws {
        let core = core(journaled: false)
        let reported = await refusal { try await core.apply(Step()) }
        #expect(reported?.reducerError is Defect)
    }
}
