/// The adapters of a coder, with the working memory that refers to them.
///
/// What a coder finds out of a type depends on its adapters, so memory is kept for each set: coders
/// with different ones don't make each other forget.
final class AdapterSet: Sendable {
    /// For all coders without adapters.
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

/// Adapters by the type that each is for.
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
