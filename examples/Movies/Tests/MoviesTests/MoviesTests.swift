import StoreCore
import StoreHTTPClient
import StoreTesting
import Testing

@testable import Movies

@Test func `popular films come page by page, to the last`() async {
    let films = Films(pages: [
        FilmPage(page: 1, pages: 2, films: [echo]), FilmPage(page: 2, pages: 2, films: [doors]),
    ])
    let world = Dependencies.unprepared.setting(FilmsKey.self, to: films)
    let store = TestStore(Popular(), Popular.State(), dependencies: world)

    await store.send(.refreshed) { $0.isLoading = true }
    await store.receive(.loaded(page: films.pages[0])) {
        $0 = Popular.State(films: [echo], page: 1, pages: 2)
    }
    await store.send(.nextPageAsked) { $0.isLoading = true }
    await store.receive(.loaded(page: films.pages[1])) {
        $0 = Popular.State(films: [echo, doors], page: 2, pages: 2)
    }
    await store.send(.nextPageAsked, refused: "That was the last page.")
    await store.finish()
}

@Test func `a page is not asked for twice`() async {
    let store = TestStore(Popular(), Popular.State(isLoading: true))
    await store.send(.nextPageAsked, refused: "A page is on its way.")
    await store.finish()
}

@Test func `a page that can't be had is told of, and can be asked for again`() async {
    let world = Dependencies.unprepared.setting(FilmsKey.self, to: Films())
    let store = TestStore(Popular(), Popular.State(), dependencies: world)

    await store.send(.refreshed) { $0.isLoading = true }
    await store.receive(.failed(reason: "Nobody is there.")) {
        $0.isLoading = false
        $0.failure = "Nobody is there."
    }
    await store.send(.nextPageAsked) {
        $0.isLoading = true
        $0.failure = nil
    }
    await store.receive(.failed(reason: "Nobody is there.")) {
        $0.isLoading = false
        $0.failure = "Nobody is there."
    }
    await store.finish()
}

@Test func `the service is asked when nobody has typed for a while`() async {
    let clock = ManualClock()
    let world = Dependencies.controlled(by: clock)
        .setting(FilmsKey.self, to: Films(found: ["echo": [echo], "none": []]))
    let store = TestStore(Search(), Search.State(), dependencies: world)

    await store.send(.textChanged(to: "ec")) {
        $0.text = "ec"
        $0.isSearching = true
    }
    await clock.advance(by: .milliseconds(299))
    await store.send(.textChanged(to: "echo")) { $0.text = "echo" }
    await clock.advance(by: .milliseconds(300))
    await store.receive(.found(films: [echo])) {
        $0.films = [echo]
        $0.suggestions = ["echo"]
        $0.isSearching = false
    }

    await store.send(.textChanged(to: "none")) {
        $0.text = "none"
        $0.isSearching = true
    }
    await clock.advance(by: .milliseconds(300))
    await store.receive(.found(films: [])) {
        $0.films = []
        $0.isSearching = false
    }

    await store.send(.textChanged(to: "x")) {
        $0.text = "x"
        $0.isSearching = true
    }
    await clock.advance(by: .milliseconds(300))
    await store.receive(.failed(reason: "Nobody is there.")) {
        $0.isSearching = false
        $0.failure = "Nobody is there."
    }

    await store.send(.textChanged(to: "ec")) {
        $0.text = "ec"
        $0.isSearching = true
        $0.failure = nil
    }
    await store.send(.textChanged(to: "")) {
        $0.text = ""
        $0.isSearching = false
    }
    await store.finish()
}

@Test func `the last ten searches that found something are suggested, each once`() throws {
    var state = Search.State()
    for number in (1...11) + [5] {
        state.text = "\(number)"
        _ = Search().reduce(&state, internal: .found(films: [echo]))
    }
    #expect(state.suggestions == ["5", "11", "10", "9", "8", "7", "6", "4", "3", "2"])
}

@Test func `a text that no title has is refused`() async {
    let store = TestStore(Search(), Search.State())
    let long = String(repeating: "a", count: Search.textBytesMax + 1)
    await store.send(.textChanged(to: long), refused: "No title is as long as that.")
    await store.finish()
}

@Test func `details are loaded when somebody looks, and only then`() async {
    let film = FilmDetails(id: 1, title: "Echo", year: 1969, minutes: 90, overview: "A valley.")
    let world = Dependencies.unprepared.setting(FilmsKey.self, to: Films(details: [1: film]))
    let store = TestStore(AppState(), dependencies: world)

    await store.send(Details.start(.init(id: 1))) { $0.details = Details.State(id: 1) }
    await store.receive(Details.Internal.loaded(film: film)) { $0.details?.film = film }
    #expect(DetailsViewModel(state: store.state)?.facts == "1969, 90 minutes")
    await store.send(Details.start(.init(id: 7))) { $0.details = Details.State(id: 7) }
    await store.receive(Details.Internal.failed(reason: "Nobody is there.")) {
        $0.details?.failure = "Nobody is there."
    }
    #expect(DetailsViewModel(state: store.state)?.overview == "Nobody is there.")
    await store.send(Details.stop) { $0.details = nil }
    #expect(DetailsViewModel(state: store.state) == nil)
    await store.finish()
}

@Test func `the service over HTTP asks for what it is asked, and says in words what is wrong`()
    async throws
{
    struct Answers: HTTPClient {
        func response(to request: HTTPRequest) -> HTTPResponse {
            request.url == "http://films.example/search?title=a%20b"
                ? HTTPResponse(
                    status: 200,
                    body: Array(#"[{"id":1,"title":"Echo","year":1969}]"#.utf8)
                )
                : HTTPResponse(status: 404)
        }
    }
    let service = HTTPFilmService(root: "http://films.example", http: Answers())
    #expect(try await service.search("a b") == [echo])
    let error = await #expect(throws: FilmServiceError.self) { try await service.details(of: 9) }
    #expect(error?.reason == "GET http://films.example/films/9: the answer is 404")
}
