import Glibc
import StoreCore
import StoreHTTPClient

/// A film as lists show it.
struct Film: ModuleState {
    var id: Int
    var title: String
    var year: Int
}

/// A film with all that is known of it.
struct FilmDetails: ModuleState {
    var id: Int
    var title: String
    var year: Int
    var minutes: Int
    var overview: String
}

/// One page of a list.
struct FilmPage: ModuleState {
    var page: Int
    var pages: Int
    var films: [Film]
}

/// Knows films.
protocol FilmService: Sendable {
    /// One page of the popular films, from 1.
    func popular(page: Int) async throws -> FilmPage
    /// The films whose titles have this in them.
    func search(_ text: String) async throws -> [Film]
    /// All that is known of a film.
    func details(of id: Int) async throws -> FilmDetails
}

/// Why a service gives nothing, for those who look at the screen.
struct FilmServiceError: Error, Equatable {
    var reason: String
}

/// A service over HTTP.
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

/// Where films are asked for.
enum FilmsKey: DependencyKey {
    /// The service at the address in the environment's `MOVIES_SERVICE`.
    static let live: any FilmService = HTTPFilmService(
        root: getenv("MOVIES_SERVICE").map { String(cString: $0) } ?? "http://127.0.0.1:8090",
        http: HTTPClientKey.live
    )
}

extension Dependencies {
    /// Where films are asked for.
    var films: any FilmService {
        get throws { try self[FilmsKey.self] }
    }
}
