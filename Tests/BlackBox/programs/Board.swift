// A store for screens, with instances as full members. All sessions share the cards, and each
// session has notes; both have views, UI actions, use cases and visibility. A list has a view whose
// cells have links, and presenters send commands to screens. BOARD=two serves a second store with
// the same state.

import Glibc
import StoreCore
import StorePatterns
import StoreServer

/// The owner of the instances, by the name of its module.
protocol Owner: Sendable { static var name: String { get } }
enum Shared: Owner { static let name = "cards" }
enum Own: Owner { static let name = "notes" }

/// A card, with a slice for each id.
struct Card<Owners: Owner>: StartableModule, EffectfulModule, VisibleModule {
    struct State: ModuleState {
        var title: String
        var taps = 0
        var viewers = 0
        var log: [String] = []
    }

    struct Start: Codable, Equatable, Sendable { let title: String }

    struct Title: Codable, Sendable { let title: String }

    enum Action: ModuleAction {
        case renamed(title: String)
        /// An action whose effect makes the screens of the session blink.
        case blinked(times: Int)
    }

    enum UI: ModuleAction {
        case tapped
        case turned(by: Int)
        case appeared, disappeared
    }

    enum Internal: ModuleAction {
        case titled(title: String)
    }

    static var name: String { Owners.name }

    func begin(_ start: Start) throws -> State {
        guard !start.title.isEmpty else {
            throw Refusal(reason: "A card has a title.", pointer: "/title")
        }
        return State(title: start.title)
    }

    func begin(_ start: Start, over old: State) throws -> State { try begin(start) }

    func reduce(_ state: inout State, _ action: Action) -> Effect<State> {
        switch action {
        case .renamed(let title): state.title = title
        case .blinked(let times):
            return .run { context in
                for number in 0..<times { context.command("blink", number) }
            }
        }
        return .none
    }

    func reduce(_ state: inout State, ui action: UI) throws -> Effect<State> {
        switch action {
        case .tapped: state.taps += 1
        case .turned(let count):
            guard count < 10 else { throw Refusal(reason: "That is too far.", pointer: "/by") }
            state.taps += count
        case .appeared: state.viewers += 1
        case .disappeared: state.viewers -= 1
        }
        return .none
    }

    func reduce(_ state: inout State, internal action: Internal) -> Effect<State> {
        switch action {
        case .titled(let title):
            state.title = title
            state.log.append(title)
        }
        return .none
    }

    func visibilityDidChange(to visibility: ViewVisibility) -> UI? {
        visibility == .visible ? .appeared : .disappeared
    }

    var useCases: [UseCaseMethod<State>] {
        [
            UseCaseMethod(Self.name, "title") { (input: Title, context) in
                guard !input.title.isEmpty else { throw Refusal(reason: "No title.") }
                try await context.dispatch(Internal.titled(title: input.title))
            }
        ]
    }
}

/// Presents a note, and scrolls the screens of its session to the note at a tap.
struct NotePresenter: ViewPresenter {
    struct Place: Encodable, Sendable {
        let id: String
        let taps: Int
    }

    func stateDidUpdate(
        from old: Card<Own>.State?,
        to new: Card<Own>.State?,
        _ context: PresenterContext
    ) {
        if old == nil, new != nil { context.modal.present() }
        if old != nil, new == nil { context.withdraw() }
        guard let old, let new, old.taps != new.taps else { return }
        context.command("scrollTo", Place(id: context.instance ?? "", taps: new.taps))
    }
}

/// The overview of all cards. Its presenter presents the views of all of them.
struct Overview: StartableModule {
    struct State: ModuleState {}
    func begin(_ start: NoFields) -> State { State() }
}

struct OverviewPresenter: ViewPresenter {
    static let view = "cards"

    func stateDidUpdate(
        from old: Overview.State?,
        to new: Overview.State?,
        _ context: PresenterContext
    ) {
        if old == nil, new != nil { context.window.present() }
        if old != nil, new == nil { context.withdraw() }
    }
}

/// The things to do, the newest first.
struct Todos: Module {
    struct State: ModuleState {
        var items: [Item] = []
        var count = 0
    }

    struct Item: ModuleState {
        let id: Int
        var text: String
        var isCompleted = false
    }

    enum Action: ModuleAction {
        case added(text: String)
        case completed(id: Int)
        case removed(id: Int)
        case raised(id: Int)
    }

    func reduce(_ state: inout State, _ action: Action) throws {
        switch action {
        case .added(let text):
            state.count += 1
            state.items.insert(Item(id: state.count, text: text), at: 0)
        case .completed(let id): state.items[try place(of: id, in: state)].isCompleted = true
        case .removed(let id): state.items.remove(at: try place(of: id, in: state))
        case .raised(let id):
            let item = state.items.remove(at: try place(of: id, in: state))
            state.items.insert(item, at: 0)
        }
    }

    private func place(of id: Int, in state: State) throws -> Int {
        guard let place = state.items.firstIndex(where: { $0.id == id }) else {
            throw Refusal(reason: "There is no item \(id).", pointer: "/id")
        }
        return place
    }
}

struct TodoCellViewModel: ViewModel {
    let id: Int
    let text: String
    let place: Int
    let complete: ActionLink?
    let remove: ActionLink

    init(_ item: Todos.Item, at place: Int) {
        id = item.id
        text = item.text
        self.place = place
        complete = item.isCompleted ? nil : ActionLink(Todos.Action.completed(id: item.id))
        remove = ActionLink(Todos.Action.removed(id: item.id))
    }
}

struct TodosViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Todos.self]

    let cells: [TodoCellViewModel]

    init?(state: AppState) {
        cells = state.todos.items.enumerated().map { TodoCellViewModel($0.element, at: $0.offset) }
    }
}

/// A link for each card and each note of the visitor.
struct LinksViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Card<Shared>.self, Card<Own>.self]

    struct Cell: ViewModel {
        let id: String
        let tap: ActionLink
        let rename: ActionLink
    }

    let cards: [Cell]
    let notes: [Cell]
    let open: ActionLink

    init?(state: AppState) {
        cards = state.cards.ids.map { id in
            Cell(
                id: id,
                tap: ActionLink(Card<Shared>.UI.turned(by: 2).to(id)),
                rename: ActionLink(Card<Shared>.Action.renamed(title: "a & b+c/ä").to(id))
            )
        }
        notes = state.notes.value.ids.map { id in
            Cell(
                id: id,
                tap: ActionLink(Card<Own>.UI.tapped.to(id)),
                rename: ActionLink(Card<Own>.Action.renamed(title: "linked").to(id))
            )
        }
        open = ActionLink(Overview.start)
    }
}

/// An action that is registered nowhere.
struct Lost: Action, Equatable {}

struct LostViewModel: ViewModelWithState {
    static let reads: [any Module.Type] = [Todos.self]

    let link: ActionLink?

    init?(state: AppState) {
        link = state.todos.items.isEmpty ? nil : Self.link(to: state.todos.items[0].text)
    }

    private static func link(to text: String) -> ActionLink {
        switch text {
        case "internal": ActionLink(Card<Shared>.Internal.titled(title: "x").to("7"))
        case "unaddressed": ActionLink(Card<Shared>.Action.blinked(times: 1))
        case "long":
            ActionLink(Todos.Action.added(text: String(repeating: "x", count: 10_000)))
        default: ActionLink(Lost())
        }
    }
}

struct AppState: RootState {
    var cards = Instances<Card<Shared>.State>()
    var notes = PerSession<Instances<Card<Own>.State>>()
    var overview = PerSession<Overview.State?>()
    var todos = Todos.State()
    var sessions = Sessions.State()
    var presence = Presence.State()

    static let modules: Modules = [
        Card<Shared>().at(\.cards).lifecycle(.everybody).presented(),
        Card<Own>().at(\.notes).presented(by: NotePresenter()),
        Overview().at(\.overview).lifecycle(.everybody).presented(by: OverviewPresenter()),
        Todos().at(\.todos),
        Sessions().at(\.sessions),
        Presence().at(\.presence),
    ]
    static let views: Views = [TodosViewModel.self, LinksViewModel.self, LostViewModel.self]
}

let server = Server(AppState.self, name: "board")
if getenv("BOARD") != nil {
    server.store(Server(AppState.self), named: "second").main()
} else {
    server.main()
}
