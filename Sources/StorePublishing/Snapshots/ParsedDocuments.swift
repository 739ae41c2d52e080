import StorePlatform
import StoreWire
import Synchronization

/// The slices and instances that readers look into by pointers, each parsed once for its version.
///
/// Bounded: a document that was used longest ago goes when another one comes. Any thread.
package final class ParsedDocuments: Sendable {
    /// The most memory that the documents take together, in bytes; a single larger one is kept,
    /// too.
    package static let bytesMax = 32 << 20
    /// The most documents.
    static let documentsMax = 256
    /// Smaller ones are parsed whenever they are asked for: that is quicker than to find them here.
    static let keptBytesMin = 4 << 10
    /// Up to how many bytes are parsed on the event loop.
    static let quickBytesMax = 16 << 10

    private struct Table: Sendable {
        var documents: [ObjectIdentifier: ParsedDocument] = [:]
        var clock: UInt64 = 0
        var used: [ObjectIdentifier: UInt64] = [:]
        var bytes = 0
    }

    private let table = Locked(Table())

    package init() {}

    /// How much memory the documents take.
    package var bytes: Int { table.withLock { $0.bytes } }

    /// The document of these bytes where it can be had at once: it is parsed already, or small.
    func ready(_ bytes: Bytes) -> ParsedDocument? {
        find(bytes) ?? (bytes.count <= Self.quickBytesMax ? document(of: bytes) : nil)
    }

    /// The document of these bytes; `nil` where they are none. Parses it where that was not done.
    func document(of bytes: Bytes) -> ParsedDocument? {
        if let known = find(bytes) { return known }
        guard let document = ParsedDocument(bytes) else { return nil }
        if bytes.count >= Self.keptBytesMin { table.withLock { Self.keep(document, in: &$0) } }
        return document
    }

    private func find(_ bytes: Bytes) -> ParsedDocument? {
        guard bytes.count >= Self.keptBytesMin else { return nil }
        let id = ObjectIdentifier(bytes)
        return table.withLock { table in
            guard let known = table.documents[id] else { return nil }
            table.clock += 1
            table.used[id] = table.clock
            return known
        }
    }

    private static func keep(_ document: ParsedDocument, in table: inout Table) {
        // The document keeps its bytes alive, so that no others can have this identity.
        let id = ObjectIdentifier(document.bytes)
        guard table.documents.updateValue(document, forKey: id) == nil else { return }
        table.clock += 1
        table.used[id] = table.clock
        table.bytes += document.memoryBytes
        while table.documents.count > 1,
            table.bytes > bytesMax || table.documents.count > documentsMax,
            let oldest = table.used.min(by: { $0.value < $1.value })?.key
        {
            table.used[oldest] = nil
            table.bytes -= table.documents.removeValue(forKey: oldest)?.memoryBytes ?? 0
        }
    }
}

/// Bytes and the document that they are.
final class ParsedDocument: @unchecked Sendable {
    // Safety: nothing writes to the document once it is parsed, and finding parts in it only reads.
    let bytes: Bytes
    let memoryBytes: Int
    private let document: JSONDocument

    init?(_ bytes: Bytes) {
        guard let document = try? bytes.document() else { return nil }
        self.bytes = bytes
        self.document = document
        memoryBytes = bytes.count + document.memoryBytes
    }

    /// The part that a pointer leads to; `nil` where it leads nowhere.
    func part(at pointer: JSONPointer) -> Bytes? {
        pointer == .root ? bytes : pointer.find(in: document).map { Bytes($0.source) }
    }

    /// What several pointers lead to. Valid as long as the document is retained.
    func find(_ pointers: [JSONPointer]) -> [JSONNode?] {
        JSONPointer.find(pointers, from: document.root)
    }
}
