import StoreCore
import StoreHTTPClient

/// A comment on its way to the address of a board.
struct Delivery: Encodable, Sendable {
    let board: String
    let card: String
    let comment: Comment
}

/// A service that delivers comments.
protocol Hooks: Sendable {
    /// Delivers a comment, or throws an error. The caller tries again.
    func deliver(_ delivery: Delivery, to url: String) async throws
}

/// The delivery over HTTP. The receiver may get a delivery twice.
struct HTTPHooks: Hooks {
    let http: any HTTPClient

    func deliver(_ delivery: Delivery, to url: String) async throws {
        let request = try HTTPRequest.post(url, json: delivery, timeout: .seconds(10))
        let response = try await http.response(to: request)
        guard (200..<300).contains(response.status) else {
            throw HTTPClientError(.status, request, "the answer is \(response.status)")
        }
    }
}

/// The key of the hooks among the dependencies of effects.
enum HooksKey: DependencyKey {
    static let live: any Hooks = HTTPHooks(http: HTTPClientKey.live)
}

extension Dependencies {
    var hooks: any Hooks { get throws { try self[HooksKey.self] } }
}
