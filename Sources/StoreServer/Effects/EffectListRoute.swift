import HTTPTransport
import StoreCore
import Wire

/// `GET /effects`: the effects that run, the oldest first.
struct EffectListRoute: Route {
    let methods = ["GET", "HEAD"]
    let runner: EffectRunner

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        exchange.respond(
            DebugRequest.answer { json in
                json.key("effects")
                json.array { json in
                    // One that is cancelled dispatches nothing more, and only has to end.
                    for effect in runner.running where !effect.isCancelled {
                        json.object { json in
                            json.member("id", effect.id)
                            json.member("module", effect.address.module)
                            json.member("cause", effect.cause.version)
                            json.member("href", "/effects/\(PercentEncoding.encode(effect.id))")
                        }
                    }
                }
            }
        )
    }
}

/// `DELETE /effects/<id>`: cancels what runs under this id. Nothing that it dispatches is applied after
/// the answer.
struct EffectRoute: Route {
    let methods = ["DELETE"]
    let runner: EffectRunner

    func admit(_ request: HTTPExchange) -> Problem? { DebugRequest.refusal(of: request) }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        guard let id = PercentEncoding.decode(String(rest.dropFirst())), runner.cancel(id: id)
        else { throw .notFound(path: exchange.path) }
        exchange.respond(DebugRequest.done)
    }
}
