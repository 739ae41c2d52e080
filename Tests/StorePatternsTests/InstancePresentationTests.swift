import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// Views of instances, and views without a declared name.
@Suite struct InstancePresentationTests {
    private struct Card: StartableModule {
        static let name = "cards"
        struct State: ModuleState { var taps = 0 }
        enum UI: ModuleAction { case tapped }

        func begin(_ start: NoFields) -> State { State() }
        func reduce(_ state: inout State, ui action: UI) { state.taps += 1 }
    }

    private struct Home: StartableModule {
        struct State: ModuleState {}

        func begin(_ start: NoFields) -> State { State() }
    }

    private struct Dialog: StartableModule {
        struct State: ModuleState {}

        func begin(_ start: NoFields) -> State { State() }
    }

    private struct Table: RootState {
        var cards = Instances<Card.State>()
        var home: Home.State?
        var dialog: Dialog.State?
        var sessions = Sessions.State()

        static let modules: Modules = [
            Card().at(\.cards).presented(),
            Home().at(\.home).presented(as: .root),
            Dialog().at(\.dialog).presented(as: .modal),
            Sessions().at(\.sessions),
        ]
    }

    private struct Clock: Module {
        struct State: ModuleState {}
    }

    private struct Wall: RootState {
        var clock = Clock.State()
        var sessions = Sessions.State()

        static let modules: Modules = [Clock().at(\.clock).presented(), Sessions().at(\.sessions)]
    }

    private func route(of table: Table) -> [PresentedView] {
        table.sessions[Sessions.shared]?.route ?? []
    }

    private func present(_ view: String, _ style: PresentationStyle) -> Sessions.Internal {
        .presented(view: view, style: style, sessions: [Sessions.shared])
    }

    @Test func `each instance is presented by its own name while it exists`() async {
        let store = TestStore(Table())
        store.exhaustivity = .off
        for id in ["7", "8"] {
            await store.send(Card.start.to(id)) { _ in }
            await store.receive(present("cards/\(id)", .push)) { _ in }
        }
        await store.send(Card.UI.tapped.to("7")) { $0.cards["7"]?.taps = 1 }
        await store.send(Card.stop.to("7")) { _ in }
        await store.receive(Sessions.Internal.withdrawn(view: "cards/7")) { _ in }
        await store.finish()
    }

    @Test func `a view is presented once, and in its style`() async {
        let store = TestStore(Table())
        store.exhaustivity = .off
        await store.send(Home.start) { $0.home = Home.State() }
        await store.receive(present("home", .root)) { _ in }
        await store.send(Home.stop) { $0.home = nil }
        await store.receive(Sessions.Internal.withdrawn(view: "home")) { _ in }
        await store.finish()
    }

    @Test func `a modal view stands over the earlier views until its slice is removed`() async {
        let store = TestStore(Table())
        store.exhaustivity = .off
        await store.send(Card.start.to("7")) { _ in }
        await store.receive(present("cards/7", .push)) { _ in }
        await store.send(Dialog.start) { _ in }
        await store.receive(present("dialog", .modal)) { _ in }
        #expect(route(of: store.state).map(\.style) == [.push, .modal])
        await store.send(Dialog.stop) { _ in }
        await store.receive(Sessions.Internal.withdrawn(view: "dialog")) { _ in }
        #expect(route(of: store.state).map(\.view) == ["cards/7"])
        await store.finish()
    }

    @Test func `a slice that is always there has no moment to be presented`() {
        let error = #expect(throws: ModuleError.presentsPermanentSlice("clock")) {
            try Core(Wall())
        }
        #expect(error?.description.contains("always there") == true)
    }

    @Test func `links are equal if their actions are`() {
        #expect(ActionLink(Card.UI.tapped) == ActionLink(Card.UI.tapped))
        #expect(ActionLink(Card.UI.tapped.to("7")) == ActionLink(Card.UI.tapped.to("7")))
        #expect(ActionLink(Card.UI.tapped.to("7")) != ActionLink(Card.UI.tapped.to("8")))
        #expect(
            ActionLink(Card.UI.tapped.to("\u{E9}")) != ActionLink(Card.UI.tapped.to("e\u{301}"))
        )
        #expect(ActionLink(Home.start) != ActionLink(Home.stop))
    }
}
