/// The conversion of one type to and from a JSON scalar, instead of the form that its `Codable`
/// has.
///
/// Foundation's `Date` and `Data` need adapters: their own `Codable` writes a bare number and a
/// list of bytes. Adapters for them are in `StoreWireFoundation`.
public struct JSONAdapter: Sendable {
    /// A scalar in the form that it has in the document.
    public enum Scalar: Sendable, Equatable {
        /// The text of a string.
        case string(String)
        /// The literal of a number.
        case number(String)
    }

    let type: ObjectIdentifier
    let expected: String
    let encode: @Sendable (Any) -> Scalar?
    let decode: @Sendable (Scalar) -> Any?

    /// Makes an adapter for a type.
    ///
    /// - Parameters:
    ///   - type: the type itself; subclasses need adapters of their own.
    ///   - expected: the expected value in a word or two, for error messages.
    ///   - encode: returns the scalar, or `nil` for a value that has none.
    ///   - decode: returns the value, or `nil` if the scalar is not a value of the type.
    public init<T>(
        _ type: T.Type,
        expected: String,
        encode: @escaping @Sendable (T) -> Scalar?,
        decode: @escaping @Sendable (Scalar) -> T?
    ) {
        self.type = ObjectIdentifier(type)
        self.expected = expected
        self.encode = { value in (value as? T).flatMap(encode) }
        self.decode = { scalar in decode(scalar) }
    }
}

/// The adapters of a coder, with the working memory that depends on them.
///
/// The coding plans of types depend on the adapters. Each set has its own working memory, so that
/// coders with different adapters do not discard each other's plans.
final class AdapterSet: Sendable {
    /// The maximum number of bytes of a buffer that a coder keeps for the next document.
    static let keptBytesMax = 4 << 20

    /// The set of all coders without adapters.
    static let none = AdapterSet(AdapterList([]))

    let list: AdapterList
    let encoding: CoderPool<CoderBox<EncodingState>>
    let decoding: CoderPool<CoderBox<DecodingState>>

    private init(_ list: AdapterList) {
        self.list = list
        encoding = CoderPool { CoderBox(EncodingState(list)) }
        decoding = CoderPool { CoderBox(DecodingState(list)) }
    }

    static func of(_ adapters: [JSONAdapter]) -> AdapterSet {
        adapters.isEmpty ? none : AdapterSet(AdapterList(adapters))
    }
}

/// Adapters, each found by its type.
struct AdapterList: Sendable {
    private let all: [JSONAdapter]
    private let places: [ObjectIdentifier: Int]

    init(_ adapters: [JSONAdapter]) {
        all = adapters
        places = Dictionary(adapters.indices.map { (adapters[$0].type, $0) }) { _, last in last }
    }

    subscript(place: Int) -> JSONAdapter { all[place] }

    func place(of type: Any.Type) -> Int? { places[ObjectIdentifier(type)] }
}
