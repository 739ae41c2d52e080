/// The conversion of one type's values to and from JSON scalars. Coders use the adapter in place of
/// the type's own `Codable`.
///
/// Foundation's `Date` and `Data` need adapters: their own `Codable` writes a bare number and a
/// list of bytes. Adapters for them are in `StoreWireFoundation`.
public struct JSONAdapter: Sendable {
    /// A string or a number in a JSON document.
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
    ///   - type: the adapted type. A subclass of the type needs its own adapter.
    ///   - expected: a short description of a valid value, for error messages.
    ///   - encode: returns the scalar for a value, or `nil` if the value has no JSON form.
    ///   - decode: returns the value for a scalar, or `nil` if the scalar stands for no value of
    ///     the type.
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

/// The adapters of a coder, and the working memory that depends on the adapters.
///
/// The working memory contains the coding plans of types, which depend on the adapters. Each set
/// has its own working memory, so that coders with different adapters do not mix their plans.
final class AdapterSet: Sendable {
    /// The maximum number of bytes of a buffer that a coder keeps for the next document.
    static let keptBufferBytesMax = 4 << 20

    /// The set that all coders without adapters share.
    static let none = AdapterSet(AdapterList([]))

    let list: AdapterList
    let encodingStates: CoderPool<CoderBox<EncodingState>>
    let decodingStates: CoderPool<CoderBox<DecodingState>>

    private init(_ list: AdapterList) {
        self.list = list
        encodingStates = CoderPool { CoderBox(EncodingState(list)) }
        decodingStates = CoderPool { CoderBox(DecodingState(list)) }
    }

    static func of(_ adapters: [JSONAdapter]) -> AdapterSet {
        adapters.isEmpty ? none : AdapterSet(AdapterList(adapters))
    }
}

/// A list of adapters that finds the adapter of a type. If several adapters have the same type, the
/// list uses the last one.
struct AdapterList: Sendable {
    private let all: [JSONAdapter]
    private let indexByType: [ObjectIdentifier: Int]

    init(_ adapters: [JSONAdapter]) {
        all = adapters
        indexByType = Dictionary(adapters.indices.map { (adapters[$0].type, $0) }) { _, last in last
        }
    }

    subscript(index: Int) -> JSONAdapter { all[index] }

    func index(of type: Any.Type) -> Int? { indexByType[ObjectIdentifier(type)] }
}
