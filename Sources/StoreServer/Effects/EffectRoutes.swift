import HTTPTransport
import StoreCore
import Wire

extension ListRoute {
    /// `GET /effects`: the effects that run, the oldest first.
    static func effects(of runner: EffectRunner) -> ListRoute {
        ListRoute { json in
            // One that is cancelled dispatches nothing more, and only has to end.
            let running = runner.running.lazy.filter { !$0.isCancelled }
            json.list("effects", of: running) { json, effect in
                json.member("id", effect.id)
                json.member("module", effect.address.module)
                json.member("cause", effect.cause.version)
                json.member("href", "/effects/\(PercentEncoding.encode(effect.id))")
            }
        }
    }
}

/// `DELETE /effects/<id>`: cancels what runs under this id. Nothing that it dispatches is applied after
/// the answer.
struct EffectRoute: Route {
    let methods = ["DELETE"]
    let runner: EffectRunner

    func admit(_ request: HTTPExchange) -> Problem? { RequestRules.crossOrigin(request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        guard let id = PercentEncoding.decode(String(rest.dropFirst())), runner.cancel(id: id)
        else { throw .notFound(path: exchange.path) }
        exchange.respond(HTTPResponse.done)
    }
}
