import StoreJSON

/// Writes small JSON documents.
enum JSONText {
    static func string(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.byteArray, as: UTF8.self)
    }

    static func number(_ number: Double) -> String {
        let bytes = (try? JSONEncoder().encode(number)) ?? Array("0".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns an object of members that are JSON already.
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { string($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
    }

    /// Returns a document's canonical form. Documents with the same meaning have the same form: a
    /// patch puts new members last.
    static func canonical(_ bytes: [UInt8]) -> Bytewise? {
        guard let document = try? JSONDocument(parsing: bytes, limits: .unbounded) else {
            return nil
        }
        var writer = JSONWriter()
        write(document.root, to: &writer)
        return Bytewise(writer.byteArray)
    }

    private static func write(_ node: JSONNode, to writer: inout JSONWriter) {
        switch node.kind {
        case .object:
            let members = node.members.sorted { Bytewise($0.name) < Bytewise($1.name) }
            writer.object { writer in
                for (name, value) in members {
                    writer.key(name)
                    write(value, to: &writer)
                }
            }
        case .array:
            writer.array { writer in
                for element in node.elements { write(element, to: &writer) }
            }
        default: writer.raw(node.source)
        }
    }

    /// Returns the part of a document that a pointer leads to.
    static func part(_ bytes: [UInt8], at tokens: [String]) -> Bytewise? {
        guard let document = try? JSONDocument(parsing: bytes, limits: .unbounded) else {
            return nil
        }
        return JSONPointer(tokens: tokens).find(in: document).map { Bytewise(Array($0.source)) }
    }

    static func patched(_ bytes: [UInt8], by patch: [UInt8]) -> Bytewise? {
        guard let document = try? JSONDocument(parsing: bytes, limits: .unbounded),
            let patch = try? JSONDocument(parsing: patch, limits: .unbounded),
            let result = try? JSONPatch.apply(patch, to: document)
        else { return nil }
        return Bytewise(result.array)
    }
}
