import Synchronization

@testable import Movies

/// A service with the films that a test gives it.
struct Films: FilmService {
    var pages: [FilmPage] = []
    var found: [String: [Film]] = [:]
    var details: [Int: FilmDetails] = [:]

    static let offline = FilmServiceError(reason: "Nobody is there.")

    func popular(page: Int) throws -> FilmPage {
        guard let page = pages.first(where: { $0.page == page }) else { throw Self.offline }
        return page
    }

    func search(_ text: String) throws -> [Film] {
        guard let films = found[text] else { throw Self.offline }
        return films
    }

    func details(of id: Int) throws -> FilmDetails {
        guard let film = details[id] else { throw Self.offline }
        return film
    }
}

let echo = Film(id: 1, title: "Echo", year: 1969)
let doors = Film(id: 2, title: "Twelve Doors", year: 2001)
