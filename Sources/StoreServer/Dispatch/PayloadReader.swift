import Wire

/// Reads payloads, with errors that point into the body of `POST /dispatch`.
enum PayloadReader {
    /// Reads a value that is the whole payload, where none is as good as an empty object.
    static func value<Value: Decodable>(
        _ type: Value.Type,
        _ payload: JSONNode?,
        _ decoder: JSONDecoder
    ) throws(JSONError) -> Value {
        if let payload {
            return try decoder.decode(type, at: payload, pointerPrefix: "/payload")
        }
        do {
            return try decoder.decode(type, from: emptyObject)
        } catch {
            throw error.moved(from: "", to: "/payload")
        }
    }

    /// Reads an enum's case from its associated values.
    static func value<Value: Decodable>(
        _ type: Value.Type,
        _ payload: JSONNode?,
        _ decoder: JSONDecoder,
        as caseName: String
    ) throws(JSONError) -> Value {
        var document = JSONOutput(capacity: 32 + (payload?.byteRange.count ?? 0))
        document.raw("{")
        document.string(caseName)
        document.raw(":")
        if let payload { document.raw(payload.source) } else { document.raw("{}") }
        document.raw("}")
        var wide = decoder
        // The payload was within the bounds; the case around it is ours.
        wide.limits.bytesMax = .max
        wide.limits.depthMax = decoder.limits.depthMax + 1
        do {
            return try wide.decode(type, from: document.array)
        } catch {
            throw error.moved(from: "/" + caseName, to: "/payload")
        }
    }

    private static let emptyObject = Array("{}".utf8)
}

extension JSONError {
    /// The same error, seen from elsewhere; an offset would be that of another document.
    fileprivate func moved(from prefix: String, to place: String) -> JSONError {
        JSONError(
            code: code,
            pointer: place + (pointer.hasPrefix(prefix) ? pointer.dropFirst(prefix.count) : ""),
            expected: expected,
            message: message
        )
    }
}
