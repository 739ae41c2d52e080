// The versions of a program on one journal; EVOLVING chooses the version. SLOW is the time of each
// action in milliseconds.

import Glibc
import StoreCore
import StoreServer

struct Tally: Codable, Equatable {
    var count = 0
    var names: [String] = []
}

/// The type of the state in a later version.
struct TallyWithTotal: Codable, Equatable {
    var count = 0
    var names: [String] = []
    var total = 100
}

struct Counted: Action, Codable {
    let by: Int
}

/// The later form of ``Counted``, under the same name.
struct CountedAnew: Action, Codable {
    let times: Int
}

/// The form of ``Counted`` that counts doubles, with the same fields.
struct CountedTwice: Action, Codable {
    let by: Int
}

/// The later name of ``Counted``.
struct Added: Action, Codable {
    let amount: Int
}

struct LoginRequested: RedactedAction, Codable {
    static let secrets = ["password"]
    let name: String
    let password: String?
}

/// The fields of ``Counted``, for programs without the type.
struct OldCounted: Decodable {
    let by: Int
}

let slowness = getenv("SLOW").flatMap { UInt32(String(cString: $0)) } ?? 0

@Sendable func reduce(_ tally: inout Tally, _ action: any Action) throws {
    if slowness > 0 { usleep(slowness * 1_000) }
    switch action {
    case let action as CountedAnew: tally.count += action.times
    case let action as CountedTwice: tally.count += action.by * 2
    case let action as Counted: tally.count += action.by
    case let action as Added: tally.count += action.amount
    case let action as LoginRequested:
        tally.names.append(action.name + (action.password == nil ? "" : " with a password"))
    default: break
    }
}

@Sendable func reduceWithTotal(_ tally: inout TallyWithTotal, _ action: any Action) throws {
    switch action {
    case let action as Counted:
        tally.count += action.by
        tally.total += action.by
    case let action as LoginRequested: tally.names.append(action.name)
    default: break
    }
}

switch getenv("EVOLVING").map({ String(cString: $0) }) ?? "old" {
case "renamed":
    Server(state: Tally(), actions: [Added.self, LoginRequested.self], reducer: reduce).main()
case "migrated":
    Server(state: Tally(), actions: [Added.self, LoginRequested.self], reducer: reduce)
        .migrations(.action("Counted", from: OldCounted.self) { Added(amount: $0.by) })
        .main()
case "relabelled":
    Server(
        state: Tally(),
        actions: .named("Counted", CountedAnew.self) + [LoginRequested.self],
        reducer: reduce
    )
    .migrations(.action("Counted", from: OldCounted.self) { CountedAnew(times: $0.by) })
    .main()
case "doubled":
    // The fields are the same, but new actions count double. Old records still count once.
    Server(
        state: Tally(),
        actions: .named("Counted", CountedTwice.self)
            + [Added.self, LoginRequested.self],
        reducer: reduce
    )
    .migrations(.action("Counted", from: OldCounted.self) { Added(amount: $0.by) })
    .main()
case "extended":
    Server(
        state: Tally(),
        actions: [Counted.self, Added.self, LoginRequested.self],
        reducer: reduce
    ).main()
case "dropped":
    Server(state: Tally(), actions: [Added.self, LoginRequested.self], reducer: reduce)
        .migrations(.dropped("Counted"))
        .main()
case "grown":
    Server(
        state: TallyWithTotal(),
        actions: [Counted.self, LoginRequested.self],
        reducer: reduceWithTotal
    ).main()
case "strict":
    Server(state: Tally(), actions: [Counted.self, LoginRequested.self]) {
        (tally: inout Tally, action: any Action) throws in
        if let action = action as? Counted, action.by > 2 { throw Refusal(reason: "too much") }
        try reduce(&tally, action)
    }.main()
default:
    Server(state: Tally(), actions: [Counted.self, LoginRequested.self], reducer: reduce)
        .main()
}
