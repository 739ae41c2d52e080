import StoreCore

@testable import StoreActionCatalog
@testable import StoreHistory

/// The state of all editions.
struct EditionState: Codable, Equatable, Sendable {
    var sum = 0
    var count = 0
}

struct Put: Action, Codable {
    let by: Int
}

/// The later form of ``Put``, under the same name.
struct PutAnew: Action, Codable {
    let times: Int
}

/// The action ``Put`` under the name of another edition.
struct Laid: Action, Codable {
    let by: Int
}

struct Extra: Action, Codable {
    let by: Int
}

/// A program in one of its shipped forms.
struct Edition: Sendable {
    /// A wire name and the field of its payload.
    struct Form: Hashable, Sendable {
        let name: String
        let field: String
    }

    let name: String
    let actions: ActionList
    let migrations: [Migration]
    /// The actions of clients, made from a number, each with its form.
    let makes: [(form: Form, make: @Sendable (Int) -> any Action)]
    /// The forms of other editions that it migrates.
    let migrated: Set<Form>

    /// All forms that it can read.
    var readable: Set<Form> { migrated.union(makes.map(\.form)) }

    private static let old = Form(name: "Put", field: "by")
    private static let extra = (form: Form(name: "Extra", field: "by"), make: make(Extra.init))

    private static func make<Made: Action>(
        _ make: @escaping @Sendable (Int) -> Made
    ) -> @Sendable (Int) -> any Action {
        { make($0) }
    }

    /// The first edition, and three others. The second has a further action. The third renames an
    /// action and migrates it. The fourth migrates it under an unchanged name.
    static let all = [
        Edition(
            name: "first",
            actions: [Put.self],
            migrations: [],
            makes: [(old, make(Put.init))],
            migrated: []
        ),
        Edition(
            name: "added to",
            actions: [Put.self, Extra.self],
            migrations: [],
            makes: [(old, make(Put.init)), extra],
            migrated: []
        ),
        Edition(
            name: "renamed",
            actions: [Laid.self, Extra.self],
            migrations: [.action("Put", from: Put.self) { Laid(by: $0.by) }],
            makes: [(Form(name: "Laid", field: "by"), make(Laid.init)), extra],
            migrated: [old]
        ),
        Edition(
            name: "migrated",
            actions: .named("Put", PutAnew.self) + [Extra.self],
            migrations: [.action("Put", from: Put.self) { PutAnew(times: $0.by) }],
            makes: [(Form(name: "Put", field: "times"), make(PutAnew.init)), extra],
            migrated: [old]
        ),
    ]

    @Sendable static func reduce(
        _ state: inout EditionState,
        _ action: any Action,
        _ session: String?,
        _ origin: ReducerContextSource
    ) throws {
        switch action {
        case let action as Put: state.sum += action.by
        case let action as PutAnew: state.sum += action.times
        case let action as Laid: state.sum += action.by
        case let action as Extra: state.sum -= action.by
        default: throw Refusal(reason: "It is unknown.")
        }
        state.count += 1
    }
}
