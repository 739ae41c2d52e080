/// A complete HTTP answer.
struct CommandAnswer {
    let status: Int
    private let headers: [(name: String, value: String)]
    let body: [UInt8]

    /// Reads all bytes that came on a connection; returns `nil` if they are not a complete answer.
    init?(_ bytes: [UInt8]) {
        let mark = Array("\r\n\r\n".utf8)
        guard
            let end = bytes.indices.dropLast(mark.count - 1)
                .first(where: { bytes[$0..<$0 + mark.count].elementsEqual(mark) })
        else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let first = lines.first?.split(separator: " ") ?? []
        guard first.count >= 2, first[0].hasPrefix("HTTP/1."), let status = Int(first[1]) else {
            return nil
        }
        self.status = status
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return (parts.first.map { $0.lowercased() } ?? "", String(value))
        }
        body = Array(bytes[(end + mark.count)...])
        if let length = self["content-length"], Int(length) != body.count { return nil }
    }

    /// The value of the first header with this name, which has to be in lower case.
    subscript(name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}
