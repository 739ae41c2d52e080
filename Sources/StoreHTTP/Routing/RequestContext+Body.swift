import StoreActionCatalog
import StoreHTTPTransport
import StoreWire

extension RequestContext {
    /// True if the request has no body.
    var hasNoBody: Bool { exchange.withBody(\.isEmpty) }

    /// Parses the body, which has to be JSON.
    func document(_ limits: JSONLimits) throws(Problem) -> JSONDocument {
        // The closures capture the workspace alone: a captured `self` would copy the whole context.
        let workspace = exchange.workspace
        do {
            return try exchange.withBody { body in
                Result { () throws(JSONError) in try workspace.parse(body, limits: limits) }
            }.get()
        } catch {
            throw Problem(error, bytesMax: limits.bytesMax)
        }
    }

    /// Parses the body, which has to be a JSON object.
    func object(_ limits: JSONLimits) throws(Problem) -> JSONNode {
        let root = try document(limits).root
        guard root.kind == .object else {
            throw .badRequest(
                "The body is not an object; GET /openapi.json describes its members."
            )
        }
        return root
    }

    /// Decodes the body, a JSON object, as a value of this type.
    func object<Value: Decodable>(
        _ type: Value.Type,
        _ limits: JSONLimits
    ) throws(Problem) -> Value {
        let object = try object(limits)
        do {
            return try JSONDecoder(limits: limits).decode(type, at: object, pointerPrefix: "")
        } catch {
            throw .unfit(error, for: exchange.path, environment.logger)
        }
    }
}
