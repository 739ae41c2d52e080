import DefaultStore
import StoreCore
import StorePatterns
import StoreTesting
import Testing

@testable import DefaultCounterModule
@testable import DefaultHomeModule
@testable import DefaultLoginModule
@testable import DefaultTodosModule

/// Every action of the shipped store, with its results.
@Suite(.everyAction(of: AppState.self)) struct EveryActionTests {
    private let todos = Todos.State(items: [.init(text: "a"), .init(text: "b", completed: true)])
    private let ada = Profile(userName: "ada", displayName: "Ada")

    private var world: Dependencies {
        .unprepared.setting(
            UserRepositoryKey.self,
            to: MemoryUserRepository(["ada": (password: "secret", profile: ada)])
        )
    }

    @Test func `the counter changes by its actions`() {
        let given = Given(CounterModule(), Counter.State(counter: 1, step: 2))
        given.when(.increaseRequested) { $0.counter = 3 }
        given.when(.decreaseRequested) { $0.counter = -1 }
        given.when(.stepChangeRequested(step: 5)) { $0.step = 5 }
    }

    @Test func `the list of things to do changes by its actions`() {
        let given = Given(TodosModule(), todos)
        given.when(.addItem(text: "c")) { $0.items.append(.init(text: "c")) }
        given.when(.editItem(index: 0, text: "A")) { $0.items[0].text = "A" }
        given.when(.completeItem(index: 0)) { $0.items[0].completed = true }
        given.when(.reopenItem(index: 1)) { $0.items[1].completed = false }
        given.when(.deleteItem(index: 0)) { $0.items.removeFirst() }
        given.when(
            .deleteItem(index: 2),
            refused: "There is no item 2; allowed are 0...1.",
            pointer: "/index"
        )
    }

    @Test func `the archive takes, returns and clears items`() {
        Given(TodosModule(), todos).when(.archiveCompleted) {
            $0.archived = [$0.items.removeLast()]
        }
        let archived = Todos.State(items: [], archived: [.init(text: "b")])
        Given(TodosModule(), archived).when(.unarchiveItem(index: 0)) { state in
            state.items = [.init(text: "b")]
            state.archived = []
        }
        Given(TodosModule(), archived).when(.clearArchive) { $0.archived = nil }
    }

    @Test func `a tap on a movie shows its card, and a second tap does so again`() async {
        let store = TestStore(AppState())
        await store.send(Home.start) { state in
            state.home.value = Home.State(titles: (0...10).map { "Movie \($0)" })
        }
        await store.receive(presented("home")) { change(&$0, presented("home")) }
        for isFirst in [true, false] {
            await store.send(HomeModule.UI.didTapOnMovieCell(title: "Movie 3")) {
                $0.home.value?.selectedMovie = "Movie 3"
            }
            await store.receive(MovieCard.start(.init(title: "Movie 3"))) {
                $0.movieCard.value = MovieCard.State(title: "Movie 3", isWanted: false)
            }
            await store.receive(HomeModule.Internal.cardShown) {
                $0.home.value?.selectedMovie = nil
            }
            if isFirst {
                await store.receive(presented("movieCard")) { change(&$0, presented("movieCard")) }
            }
            await store.send(MovieCard.Action.wanted(isWanted: true)) {
                $0.movieCard.value?.isWanted = true
            }
        }
        await store.send(MovieCard.stop) { $0.movieCard.value = nil }
        let withdrawn = Sessions.Internal.withdrawn(view: "movieCard", sessions: [Sessions.shared])
        await store.receive(withdrawn) { change(&$0, withdrawn) }
        await store.send(
            HomeModule.UI.didTapOnMovieCell(title: "None"),
            refused: "There is no movie 'None' in the list.",
            pointer: "/title"
        )
        await store.send(Home.stop) { $0.home.value = nil }
        let gone = Sessions.Internal.withdrawn(view: "home", sessions: [Sessions.shared])
        await store.receive(gone) { change(&$0, gone) }
        await store.finish()
    }

    private func presented(_ view: String) -> Sessions.Internal {
        .presented(view: view, style: .push, sessions: [Sessions.shared])
    }

    private func change(_ state: inout AppState, _ action: Sessions.Internal) {
        _ = Sessions().reduce(&state.sessions, internal: action)
    }

    @Test func `a visitor logs in, takes another name and leaves`() async {
        let store = TestStore(AppState(), dependencies: world)
        await store.call("login", "login", Credentials(userName: "ada", password: "secret"))
        await store.receive(LoginModule.Internal.loading) { $0.login.value.progress = .loading }
        await store.receive(LoginModule.Internal.succeeded(user: ada)) {
            $0.login.value.progress = .loadSucceeded
        }
        await store.receive(User.start(.init(profile: ada))) {
            $0.user.value = User.State(profile: ada)
        }
        await store.send(User.Action.edited(displayName: "Lady Ada")) {
            $0.user.value?.profile.displayName = "Lady Ada"
        }
        await store.send(Login.Action.loggedOut) { $0.login.value = Login.State() }
        await store.receive(User.stop) { $0.user.value = nil }
        await store.finish()
    }

    @Test func `a visitor with a wrong password gets the reason`() async {
        let store = TestStore(LoginModule(), Login.State(), dependencies: world)
        await store.call("login", "login", Credentials(userName: "ada", password: "guess"))
        await store.receive(.loading) { $0.progress = .loading }
        await store.receive(.failed(reason: "The name or the password is wrong.")) { state in
            state.progress = .loadFailed
            state.failure = "The name or the password is wrong."
        }
        await store.finish()
    }

    @Test func `an action for the tracker alone changes nothing`() async {
        let store = TestStore(AppState())
        await store.send(ScreenShown(name: "Main"))
        await store.finish()
    }
}
