import StoreCore
import StoreWire

/// Encodes the input of kept work as JSON.
struct JSONWorkCodec: WorkCodec {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    func text(of value: any Encodable & Sendable) throws -> String {
        String(decoding: try encoder.encode(AnyEncodable(value)), as: UTF8.self)
    }

    func value<Value: Decodable>(_ type: Value.Type, of text: String) throws -> Value {
        try decoder.decode(type, from: Array(text.utf8))
    }
}
