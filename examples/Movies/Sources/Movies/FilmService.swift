import StoreCore
import StoreHTTPClient
import StoreServer

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

/// The options of the program, besides those of the library.
struct MovieOptions: ProgramOptions {
    var service = "http://127.0.0.1:8090"

    static let options: [Option] = [
        .flag("film-service", "the service that has the films").sets(\.service, .url)
    ]
}

/// The key of the source from which effects get films.
enum FilmsKey: DerivedDependencyKey {
    /// Makes the source of the service that the options name.
    static func derive(from dependencies: Dependencies) throws -> any FilmService {
        HTTPFilmService(
            root: try dependencies[MovieOptions.self].service,
            http: try dependencies.http
        )
    }
}

extension Dependencies {
    /// The source of films.
    var films: any FilmService {
        get throws { try self[FilmsKey.self] }
    }
}
