/// The adapters of a coder, with the working memory that depends on them.
///
/// The coding plans of types depend on the adapters. Each set has its own working memory, so that
/// coders with different adapters do not discard each other's plans.
final class AdapterSet: Sendable {
    /// The set of all coders without adapters.
    static let none = AdapterSet(AdapterList([]))

    let list: AdapterList
    let encoding: CoderPool<EncodingBox>
    let decoding: CoderPool<DecodingBox>

    private init(_ list: AdapterList) {
        self.list = list
        encoding = CoderPool { EncodingBox(list) }
        decoding = CoderPool { DecodingBox(list) }
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
