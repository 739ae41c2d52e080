import Glibc
import StoreCore
import StoreHTTPClient

/// A film in a list.
struct Film: ModuleState {
    var id: Int
    var title: String
    var year: Int
}

/// A film with its details.
struct FilmDetails: ModuleState {
    var id: Int
    var title: String
    var year: Int
    var minutes: Int
    var overview: String
}

/// A page of a list of films.
struct FilmPage: ModuleState {
    var page: Int
    var pages: Int
    var films: [Film]
}

/// A source of films.
protocol FilmService: Sendable {
    /// Returns a page of the popular films; the first page has the number 1.
    func popular(page: Int) async throws -> FilmPage
    /// Returns the films whose titles contain a text.
    func search(_ text: String) async throws -> [Film]
    /// Returns the details of a film.
    func details(of id: Int) async throws -> FilmDetails
}

/// The error of a service that returns no films. Screens show its reason.
struct FilmServiceError: Error, Equatable {
    var reason: String
}

/// A source of films over HTTP.
struct HTTPFilmService: FilmService {
    let root: String
    let http: any HTTPClient

    func popular(page: Int) async throws -> FilmPage {
        try await value(from: .get(root + "/popular", query: ["page": "\(page)"]))
    }

    func search(_ text: String) async throws -> [Film] {
        try await value(from: .get(root + "/search", query: ["title": text]))
    }

    func details(of id: Int) async throws -> FilmDetails {
        try await value(from: .get(root + "/films/\(id)"))
    }

    private func value<T: Decodable>(from request: HTTPRequest) async throws -> T {
        var request = request
        request.timeout = .seconds(5)
        do {
            return try await http.json(from: request)
        } catch let error as HTTPClientError {
            throw FilmServiceError(reason: error.description)
        }
    }
}

/// The key of the source from which effects get films.
enum FilmsKey: DependencyKey {
    /// The service at the address in the variable `MOVIES_SERVICE`; by default a service on this
    /// machine.
    static let live: any FilmService = HTTPFilmService(
        root: getenv("MOVIES_SERVICE").map { String(cString: $0) } ?? "http://127.0.0.1:8090",
        http: HTTPClientKey.live
    )
}

extension Dependencies {
    /// The source of films.
    var films: any FilmService {
        get throws { try self[FilmsKey.self] }
    }
}
