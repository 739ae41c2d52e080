import StoreCore
import Wire

/// Writes actions that the program itself dispatches as clients would.
struct ActionWriter: Sendable {
    /// What stands before the name and a slash: the module.
    let prefix: String?
    let write: @Sendable (any Action, JSONEncoder) throws -> (name: String, payload: [UInt8])

    /// An action that is its payload.
    static func whole(_ type: any (Action & Encodable).Type, named name: String) -> ActionWriter {
        ActionWriter(prefix: nil) { action, encoder in
            guard let action = action as? any Encodable else { return (name, Array("{}".utf8)) }
            return (name, try encoder.encode(Whole(action)))
        }
    }

    /// A case of a module's actions: the compiler writes `{"case":{…}}`.
    static func cases(in module: String) -> ActionWriter {
        ActionWriter(prefix: module) { action, encoder in
            guard let action = action as? any Encodable else { throw UnregisteredAction(type: "") }
            let bytes = try encoder.encode(Whole(action))
            // The encoder puts in no space, and the name of a case needs no escape.
            guard bytes.count > 6, let end = bytes.dropFirst(2).firstIndex(of: UInt8(ascii: "\""))
            else { throw UnregisteredAction(type: "\(type(of: action))") }
            let name = String(decoding: bytes[2..<end], as: UTF8.self)
            return (name, Array(bytes[(end + 2)..<(bytes.count - 1)]))
        }
    }

    /// An action that starts or stops a module.
    static func lifecycle(
        _ name: String,
        of module: String,
        payload: @escaping @Sendable (any Action) -> (any Codable)?
    ) -> ActionWriter {
        ActionWriter(prefix: module) { action, encoder in
            (name, try payload(action).map { try encoder.encode(Whole($0)) } ?? Array("{}".utf8))
        }
    }
}
