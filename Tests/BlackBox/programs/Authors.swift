// Two versions of a program on one history. The reducer of the first version gets no context. The
// second version keeps the author of each line, also of lines from the time of the first version.

import Foundation
import StoreCore
import StorePatterns
import StoreServer

enum LinesAction: ModuleAction {
    case added(text: String)
}

struct PlainLines: Module {
    struct State: ModuleState {
        var texts: [String] = []
    }

    typealias Action = LinesAction

    static let name = "lines"

    func reduce(_ state: inout State, _ action: LinesAction) {
        switch action {
        case .added(let text): state.texts.append(text)
        }
    }
}

struct SignedLines: ContextualModule {
    struct Line: Codable, Equatable, Sendable {
        let text: String
        let author: String
        let time: Int64
    }

    struct State: ModuleState {
        var lines: [Line] = []
    }

    typealias Action = LinesAction

    static let name = "lines"

    func reduce(_ state: inout State, _ action: LinesAction, in context: ReducerContext) {
        switch action {
        case .added(let text):
            let author = context.principal?.name ?? ""
            state.lines.append(Line(text: text, author: author, time: context.time))
        }
    }
}

/// Reminders that are kept: a module with work, whose reducers get a context.
struct Reminders: KeepingModule, ContextualModule {
    struct State: ModuleState {
        var sent: [String] = []
    }

    enum Action: ModuleAction { case asked }
    enum Internal: ModuleAction { case sent(by: String) }
    enum Work: ModuleWork { case send(owner: String) }

    func reduce(_ state: inout State, _ action: Action, in context: ReducerContext)
        -> Effect<State>
    {
        keep(.send(owner: context.principal?.name ?? ""), id: "send", onRestart: .retried)
    }

    func reduce(_ state: inout State, internal action: Internal, in context: ReducerContext)
        -> Effect<State>
    {
        switch action {
        case .sent(let worker):
            state.sent.append("\(worker), \(context.principal?.name ?? "")")
        }
        return .none
    }

    func perform(_ work: Work, _ context: EffectContext<State>) async throws {
        guard ProcessInfo.processInfo.environment["SEND"] != nil else {
            try await context.sleep(for: .seconds(3_600))
            return
        }
        switch work {
        case .send(let owner):
            let principal = context.principal?.name ?? ""
            try await context.dispatch(Internal.sent(by: "\(owner) \(principal)"))
        }
    }
}

struct FirstState: RootState {
    var lines = PlainLines.State()
    static let modules: Modules = [PlainLines().at(\.lines)]
}

struct SecondState: RootState {
    var lines = SignedLines.State()
    var reminders = Reminders.State()
    var effects = PendingEffects.State()
    static let modules: Modules = [
        SignedLines().at(\.lines),
        Reminders().at(\.reminders),
        PendingEffects().at(\.effects),
    ]
}

if ProcessInfo.processInfo.environment["EDITION"] == "2" {
    Server(SecondState.self).main()
} else {
    Server(FirstState.self).main()
}
