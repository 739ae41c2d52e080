import StoreJSON

/// An answer in the form in which it was sent.
struct HTTPMessage {
    let status: Int
    private let fields: [(name: String, value: String)]
    private let body: [UInt8]

    /// Reads an answer, and removes it from the bytes; `nil` if there is none. A stream takes all
    /// the rest.
    init?(_ bytes: inout ArraySlice<UInt8>, hasBody: Bool) {
        let end = Array("\r\n\r\n".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
            return nil
        }
        let lines = bytes[..<start].text.split(separator: "\r\n", omittingEmptySubsequences: false)
        bytes = bytes[(start + end.count)...]
        let words = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "HTTP/1.1", words[1].utf8.count == 3,
            let status = Int(words[1])
        else { return nil }
        self.status = status
        var fields: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[0].contains(" ") else { return nil }
            fields.append((parts[0].lowercased(), String(parts[1].drop { $0 == " " })))
        }
        self.fields = fields
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        guard status >= 200, status != 204, status != 304, hasBody else {
            body = []
            return
        }
        if value("transfer-encoding") != nil
            || value("content-type")?.hasPrefix("text/event-stream") == true
        {
            body = Array(bytes)
            bytes = []
            return
        }
        guard let length = value("content-length").flatMap({ Int($0) }), length <= bytes.count
        else {
            return nil
        }
        body = Array(bytes.prefix(length))
        bytes = bytes.dropFirst(length)
    }

    /// Checks that a body of JSON is JSON, and that a problem has the status of its answer.
    func checkBody() {
        let type = fields.first { $0.name == "content-type" }?.value ?? ""
        guard type.contains("json"), !body.isEmpty else { return }
        guard let root = try? JSONDocument(parsing: body, limits: .unbounded).root else {
            fatalError("A body is no JSON: \(body.text)")
        }
        guard type.hasPrefix("application/problem+json") else { return }
        hold(root.member("status")?.intValue == status, "A problem has another status.")
        hold(root.member("type")?.stringValue?.isEmpty == false, "A problem has no type.")
    }
}
