package import StoreJSON
import StorePlatform
import Synchronization

/// A cache of parsed slices and instances, in which readers look up parts by pointers. Each version
/// of a large slice or instance is parsed once while its document stays in the cache.
///
/// The cache is bounded: a new document replaces the least recently used document. Any thread may
/// use the cache.
package final class ParsedDocuments: Sendable {
    /// The most memory of all documents together, in bytes. A single larger document is kept, too.
    package static let bytesMax = 32 << 20
    /// The most documents in the cache.
    static let documentsMax = 256
    /// The minimum size of a document in the cache, in bytes. Parsing a smaller document is faster
    /// than a look-up in the cache.
    static let cachedBytesMin = 4 << 10
    /// The maximum size of a document that is parsed on the event loop, in bytes.
    static let quickBytesMax = 16 << 10

    private struct Table: Sendable {
        var documentsByBytesID: [ObjectIdentifier: (document: ParsedDocument, lastUse: UInt64)] =
            [:]
        var useCount: UInt64 = 0
        var memoryBytes = 0
    }

    private let table = Locked(Table())

    package init() {}

    /// The memory of all documents, in bytes.
    package var memoryBytes: Int { table.withLock { $0.memoryBytes } }

    /// Returns the document of these bytes if the document is cached or small; else returns `nil`.
    func cheapDocument(of bytes: Bytes) -> ParsedDocument? {
        cachedDocument(of: bytes) ?? (bytes.count <= Self.quickBytesMax ? document(of: bytes) : nil)
    }

    /// Returns the document of these bytes, and parses the bytes if the document is not cached.
    /// Returns `nil` if the bytes are not JSON.
    func document(of bytes: Bytes) -> ParsedDocument? {
        if let known = cachedDocument(of: bytes) { return known }
        guard let document = ParsedDocument(bytes) else { return nil }
        if bytes.count >= Self.cachedBytesMin { table.withLock { Self.keep(document, in: &$0) } }
        return document
    }

    private func cachedDocument(of bytes: Bytes) -> ParsedDocument? {
        guard bytes.count >= Self.cachedBytesMin else { return nil }
        let id = ObjectIdentifier(bytes)
        return table.withLock { table in
            guard let known = table.documentsByBytesID[id]?.document else { return nil }
            table.useCount += 1
            table.documentsByBytesID[id]?.lastUse = table.useCount
            return known
        }
    }

    private static func keep(_ document: ParsedDocument, in table: inout Table) {
        // The document keeps its bytes alive, so no other bytes can have this identity.
        let id = ObjectIdentifier(document.bytes)
        table.useCount += 1
        let old = table.documentsByBytesID.updateValue((document, table.useCount), forKey: id)
        guard old == nil else { return }
        table.memoryBytes += document.memoryBytes
        while table.documentsByBytesID.count > 1,
            table.memoryBytes > bytesMax || table.documentsByBytesID.count > documentsMax,
            let oldest = table.documentsByBytesID.min(by: { $0.value.lastUse < $1.value.lastUse })?
                .key
        {
            table.memoryBytes -=
                table.documentsByBytesID.removeValue(forKey: oldest)?.document.memoryBytes ?? 0
        }
    }
}

/// Bytes of JSON and their parsed document.
final class ParsedDocument: @unchecked Sendable {
    // Safety: nothing writes to the document after it was parsed; a search for parts only reads.
    let bytes: Bytes
    let memoryBytes: Int
    private let document: JSONDocument

    init?(_ bytes: Bytes) {
        guard let document = try? bytes.parseDocument() else { return nil }
        self.bytes = bytes
        self.document = document
        memoryBytes = bytes.count + document.memoryBytes
    }

    /// Returns the part at a pointer; `nil` if the pointer leads nowhere.
    func part(at pointer: JSONPointer) -> Bytes? {
        pointer == .root ? bytes : pointer.find(in: document).map { Bytes($0.source) }
    }

    /// Returns the part at a pointer, if this document is the outline of a document with tables.
    func part(at pointer: JSONPointer, of whole: OutlinedJSON) -> OutlinedPart {
        whole.part(at: pointer, in: document)
    }

    /// Returns the nodes at several pointers. The nodes are valid while the document is retained.
    func nodes(at pointers: [JSONPointer]) -> [JSONNode?] {
        JSONPointer.find(pointers, from: document.root)
    }
}

/// The result of a cheap search for a part of a snapshot.
package enum QuickPart {
    case bytes(Bytes)
    /// A node in a small document, which was parsed for this search.
    case node(JSONNode)
    case nowhere
    /// The part is large, or a large slice has to be parsed or joined first.
    case notQuick
}

extension ParsedDocuments {
    /// Returns the part at a pointer if the search is cheap, else ``QuickPart/notQuick``. Parses a
    /// small document in the workspace.
    package func quickPart(
        at pointer: JSONPointer,
        in snapshot: Snapshot,
        _ workspace: JSONWorkspace
    ) -> QuickPart {
        guard snapshot.isCheapToFind(pointer) else { return .notQuick }
        switch snapshot.location(of: pointer) {
        case .resolved(nil): return .nowhere
        case .resolved(let bytes?): return bytes.isLargeAnswer ? .notQuick : .bytes(bytes)
        case .inDocument(let bytes, let pointer):
            guard let document = bytes.outlined else {
                return quickPart(at: pointer, in: bytes, workspace)
            }
            guard let outline = cheapDocument(of: document.outline) else { return .notQuick }
            switch outline.part(at: pointer, of: document) {
            case .nowhere: return .nowhere
            case .inRow(let row, let pointer): return quickPart(at: pointer, in: row, workspace)
            case .outsideRows(let part):
                return part.isLargeAnswer || !part.isCheapToJoin ? .notQuick : .bytes(part.joined)
            }
        }
    }

    /// Returns the part that a pointer leads to in a document without tables.
    private func quickPart(
        at pointer: JSONPointer,
        in bytes: Bytes,
        _ workspace: JSONWorkspace
    ) -> QuickPart {
        if bytes.isInPieces { return .notQuick }
        if pointer == .root { return bytes.isLargeAnswer ? .notQuick : .bytes(bytes) }
        if bytes.count < Self.cachedBytesMin {
            let document = bytes.withUnsafeBytes { try? workspace.parse($0, limits: .unbounded) }
            return document.flatMap { pointer.find(in: $0) }.map { .node($0) } ?? .nowhere
        }
        guard let document = cheapDocument(of: bytes) else { return .notQuick }
        guard let part = document.part(at: pointer) else { return .nowhere }
        return part.isLargeAnswer ? .notQuick : .bytes(part)
    }

    /// Returns the part at a pointer, even if the search takes long; `nil` if the pointer leads
    /// nowhere. Any thread may call this function, except the event loop's thread and the Core's
    /// thread.
    package func part(at pointer: JSONPointer, in snapshot: Snapshot) -> Bytes? {
        part(at: snapshot.location(of: pointer))?.joined
    }

    /// Returns the window of the object at a pointer, even if the search takes long; `nil` if the
    /// pointer leads nowhere, or to no object. The threads that may call ``part(at:in:)`` may also
    /// call this function.
    package func content(
        of window: MemberWindow,
        at pointer: JSONPointer,
        in snapshot: Snapshot
    ) -> MemberWindow.Content? {
        part(at: snapshot.location(of: pointer))?.content(of: window)
    }

    /// Returns true if a call of ``content(of:at:in:)`` is quick.
    package func isContentQuick(
        of window: MemberWindow,
        at pointer: JSONPointer,
        in snapshot: Snapshot
    ) -> Bool {
        guard window.limit <= Self.quickWindowMembersMax else { return false }
        switch snapshot.location(of: pointer) {
        case .resolved(let bytes):
            return bytes.map { $0.rows != nil || $0.count <= Self.quickBytesMax } ?? true
        case .inDocument(let bytes, let pointer):
            guard let document = bytes.outlined else { return bytes.count <= Self.quickBytesMax }
            guard let outline = cheapDocument(of: document.outline) else { return false }
            switch outline.part(at: pointer, of: document) {
            case .nowhere: return true
            case .inRow(let row, _): return row.count <= Self.quickBytesMax
            case .outsideRows(let part):
                return part.rows != nil || part.count <= Self.quickBytesMax
            }
        }
    }

    /// The most members of a window that is made on the event loop.
    private static var quickWindowMembersMax: Int { 64 }

    /// Returns the part at a location. If the part has tables, the result is a document with
    /// tables.
    func part(at location: PartLocation) -> Bytes? {
        switch location {
        case .resolved(let bytes): bytes
        case .inDocument(let bytes, let pointer):
            switch outlinedPart(at: pointer, in: bytes) {
            case nil: document(of: bytes)?.part(at: pointer)
            case .nowhere?: nil
            case .inRow(let row, .root)?: row
            case .inRow(let row, let pointer)?: document(of: row)?.part(at: pointer)
            case .outsideRows(let part)?: part
            }
        }
    }

    /// Returns the location of a part in a document with tables; `nil` if the document has no
    /// tables.
    func outlinedPart(at pointer: JSONPointer, in bytes: Bytes) -> OutlinedPart? {
        bytes.outlined.flatMap { document in
            self.document(of: document.outline)?.part(at: pointer, of: document)
        }
    }

    /// Returns true if ``part(at:)`` is cheap, and if the bytes of the part are cheap to join.
    func isPartCheap(at place: PartLocation) -> Bool {
        switch place {
        case .resolved: return true
        case .inDocument(let bytes, let pointer):
            guard let document = bytes.outlined else { return cheapDocument(of: bytes) != nil }
            guard let outline = cheapDocument(of: document.outline) else { return false }
            switch outline.part(at: pointer, of: document) {
            case .nowhere: return true
            case .inRow(let row, _): return cheapDocument(of: row) != nil
            case .outsideRows(let part): return part.isCheapToJoin
            }
        }
    }
}

extension Bytes {
    fileprivate var isLargeAnswer: Bool { count >= ReaderPace.pacedAnswerBytesMin }
}
