import StoreCore
import StoreJSON

/// Encodes the input of kept work and the actions of timers as JSON.
package struct JSONWorkCodec: WorkCodec {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    package init() {}

    package func text(of value: any Encodable & Sendable) throws -> String {
        String(decoding: try encoder.encode(AnyEncodable(value)), as: UTF8.self)
    }

    package func value<Value: Decodable>(_ type: Value.Type, of text: String) throws -> Value {
        try decoder.decode(type, from: Array(text.utf8))
    }
}
