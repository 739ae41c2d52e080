import StoreCore
import StorePatterns

/// A module that asks for work of every kind.
struct Jobs: KeepingModule {
    struct State: ModuleState {
        var done: [String] = []
        var count = 0
        var interrupted: [UInt64] = []
    }

    enum Action: ModuleAction {
        /// An action whose effect sleeps, and dispatches a note.
        case ran(note: String, id: String, seconds: Int, replaces: Bool)
        /// An action with two effects at a time.
        case merged(note: String, seconds: Int)
        /// An action with two effects in a row.
        case queued(note: String, seconds: Int)
        case cancelled(id: String)
        /// An action whose effect throws `failures` times before it succeeds. If it always throws,
        /// the error becomes an action.
        case tried(note: String, failures: Int)
        /// An action with kept work, which the next start knows. Long work asks for the next piece
        /// of work.
        case kept(note: String, seconds: Int, onRestart: RestartPolicy)
        /// An action whose effect dispatches an action with a secret.
        case confided(note: String)
        /// An action whose effect dispatches an action with effects.
        case chained(note: String, seconds: Int)
    }

    enum Internal: ModuleAction {
        case done(note: String)
        case failed(note: String)
        case interrupted(version: UInt64)
    }

    struct Failure: Error {}

    /// The work has the count of the moment at which it was asked for. No later state has that
    /// count.
    enum Work: ModuleWork { case kept(note: String, seconds: Int, count: Int) }

    /// The length in seconds from which kept work asks for more kept work.
    private static let onwardSeconds = 3

    static let dispatchables: [any Dispatchable.Type] = [Multiply.self]

    func reduce(_ state: inout State, _ action: Action) throws -> Effect<State> {
        state.count += 1
        if case .ran(_, _, let seconds, _) = action, seconds > 90 {
            throw Refusal(reason: "That takes too long.", pointer: "/seconds")
        }
        return effect(of: action, state.count)
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .done(let note), .failed(let note):
            state.done.append(note)
            if state.done.count > 4 { state.done.removeFirst() }
        case .interrupted(let version):
            state.interrupted.append(version)
            if state.interrupted.count > 4 { state.interrupted.removeFirst() }
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        switch work {
        case .kept(let note, let seconds, let count):
            guard seconds >= Self.onwardSeconds else {
                return try await Self.work(context, note, "\(count)", seconds)
            }
            try await Recorder.work("\(note)/\(count)") {
                try await context.sleep(for: .seconds(seconds))
                let next = Action.kept(
                    note: "\(note)>\(count)",
                    seconds: seconds - Self.onwardSeconds,
                    onRestart: .retried
                )
                try await context.dispatch(next)
            }
        }
    }

    func interrupted(after version: UInt64) -> Internal? { .interrupted(version: version) }

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod("jobs", "work") { (input: WorkInput, context) in
                try await Recorder.work(input.note) {
                    try await context.dispatch(Internal.done(note: input.note + ">1"))
                    try await context.sleep(for: .seconds(input.seconds))
                    try await context.dispatch(Internal.done(note: input.note + ">2"))
                }
            }
        ]
    }
}

struct WorkInput: Codable, Sendable {
    let note: String
    let password: String
    let seconds: Int
}

/// A side effect that returns a value.
struct Multiply: SideEffect, Equatable {
    let note: String
    let a: Int

    func sideEffect(_ context: EffectContext<Jobs.State>) async throws -> Int {
        try await Recorder.work(note) {
            try await context.dispatch(Jobs.Internal.done(note: note + ">"))
        }
        return a * 2
    }
}

extension Jobs {
    private func effect(of action: Action, _ count: Int) -> Effect<State> {
        switch action {
        case .ran(let note, let id, let seconds, let replaces):
            .run(id: id, cancelInFlight: replaces) { try await Self.work($0, note, "", seconds) }
        case .merged(let note, let seconds):
            .merge(
                .run { try await Self.work($0, note, "1", seconds) },
                .run { try await Self.work($0, note, "2", 0) }
            )
        case .queued(let note, let seconds):
            .concatenate(
                .run { try await Self.work($0, note, "1", seconds) },
                .run { try await Self.work($0, note, "2", 0) }
            )
        case .cancelled(let id): .cancel(id: id)
        case .tried(let note, let failures):
            .run(retry: .times(2), catch: { _ in Internal.failed(note: note + ">") }) { context in
                let attempt = Recorder.attempt(note)
                guard attempt > failures else { throw Failure() }
                try await context.dispatch(Internal.done(note: note + ">"))
            }
        case .kept(let note, let seconds, let onRestart):
            keep(.kept(note: note, seconds: seconds, count: count), onRestart: onRestart)
        case .confided(let note):
            .run { context in
                let code = Words.secret + note
                try await Recorder.work(note) {
                    try await context.dispatch(Unlock(note: note + ">1", code: code))
                    try await context.dispatch(Safe.Action.opened(note: note + ">2", code: code))
                }
            }
        case .chained(let note, let seconds):
            .run { context in
                try await Recorder.work(note) {
                    let inner = Action.ran(
                        note: note + ">",
                        id: "chain",
                        seconds: seconds,
                        replaces: true
                    )
                    try await context.dispatch(inner)
                }
            }
        }
    }

    private static func work(
        _ context: EffectContext<State>,
        _ note: String,
        _ part: String,
        _ seconds: Int
    ) async throws {
        try await Recorder.work(part.isEmpty ? note : note + "/" + part) {
            if seconds > 0 { try await context.sleep(for: .seconds(seconds)) }
            try await context.dispatch(Internal.done(note: note + ">" + part))
        }
    }
}
