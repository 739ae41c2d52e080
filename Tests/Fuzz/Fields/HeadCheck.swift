import CStoreHTTPD
import Glibc
import StoreAdmission
import StoreWire

@testable import StoreHTTP
@testable import StoreHTTPTransport

/// The fields of a request, a line each. The transport's errors and values are compared with the
/// errors and values of a simpler reader.
struct HeadCheck {
    private let loop: EventLoop
    private let links = Links()

    init() {
        do {
            loop = try EventLoop(
                configuration: TransportConfiguration(addresses: []),
                handler: StartGate(HostRule(listening: [], additional: [])),
                counters: TransportCounters(),
                accessLog: nil,
                tracing: nil,
                log: { _ in }
            )
        } catch {
            fatalError("\(error)")
        }
    }

    func check(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).prefix(100)
        var head = PlainHead()
        for line in lines { head.add(line) }
        let exchange = HTTPExchange(loop: loop)
        head.withFields { fields in
            var framing: RequestFraming?
            var refusal: TransportFailure?
            do throws(TransportFailure) {
                framing = try RequestFraming(fields: fields, isHTTP10: false)
            } catch {
                refusal = error
            }
            hold(
                (refusal != nil) == head.isRefused,
                "\(head.fields) is \(refusal.map { "refused: \($0)" } ?? "taken")"
            )
            guard let framing else { return }
            hold(
                framing.contentLength == head.contentLength,
                "The length is \(String(describing: head.contentLength))."
            )
            for (index, field) in fields.enumerated() { exchange.fields[index] = field }
            exchange.fieldCount = fields.count
            exchange.setHead(
                method: .get,
                target: RequestTarget(),
                framing: framing,
                isHTTP10: false
            )
            check(exchange, head)
        }
    }

    private func check(_ exchange: HTTPExchange, _ head: PlainHead) {
        hold(exchange.host == head.value(of: "host"), "The host is that of the field.")
        hold(exchange.header("cookie") == head.value(of: "cookie"), "The first field counts.")
        hold(exchange.header("if-match") == head.value(of: "if-match"), "The first field counts.")
        for (name, found) in [
            ("store-session", SessionCookie(for: links).secret(of: exchange)),
            (
                "store-auth",
                CredentialCookie(at: links.index, ofStore: nil, isSecure: nil).value(of: exchange)
            ),
        ] {
            let expected = head.cookie(name)
            hold(
                found.map { Array($0.utf8) } == expected,
                "The cookie \(name) is \(expected?.text ?? "not there")."
            )
        }
        _ = exchange.traceparent
        _ = exchange.keepsConnection
        _ = exchange.headerList("prefer").map { Preferences($0) }
    }
}

/// Fields and errors of a plain reader.
private struct PlainHead {
    struct Field {
        let name: [UInt8]
        let value: [UInt8]
        var lowerName: String { name.map { 65...90 ~= $0 ? $0 | 0x20 : $0 }.text }
    }

    private(set) var fields: [Field] = []

    mutating func add(_ line: some Collection<UInt8>) {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        fields.append(Field(name: Array(name), value: Array(line.dropFirst(name.count + 1))))
    }

    func values(of name: String) -> [[UInt8]] {
        fields.filter { $0.lowerName == name }.map(\.value)
    }

    func value(of name: String) -> String? { values(of: name).first?.text }

    /// The length of the request's body; `nil` for chunks.
    var contentLength: Int? {
        guard values(of: "transfer-encoding").isEmpty else { return nil }
        guard let length = values(of: "content-length").first else { return 0 }
        let digits = length.drop { $0 == 0x30 }
        return digits.count > 18 ? .max : Int(digits.isEmpty ? "0" : digits.text)
    }

    var isRefused: Bool {
        let token = Set("!#$%&'*+-.^_`|~0123456789".utf8)
        let lengths = values(of: "content-length")
        let codings = values(of: "transfer-encoding")
        let framing = ["host", "content-length", "transfer-encoding"]
        return fields.contains { field in
            field.name.isEmpty
                || !field.name.allSatisfy {
                    token.contains($0) || 65...90 ~= $0 || 97...122 ~= $0
                }
                || field.value.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }
                || framing.contains {
                    field.lowerName.hasPrefix($0) && field.lowerName != $0
                }
        } || lengths.count + codings.count > 1 || values(of: "host").count != 1
            || lengths.contains { $0.isEmpty || !$0.allSatisfy { 48...57 ~= $0 } }
            || codings.contains { $0.map { 65...90 ~= $0 ? $0 | 0x20 : $0 }.text != "chunked" }
    }

    /// Returns the value of the first cookie of a name.
    func cookie(_ name: String) -> [UInt8]? {
        guard let header = value(of: "cookie") else { return nil }
        let bytes = Array(header.utf8)
        var start = 0
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.count
            var place = start
            while place < end, bytes[place] == UInt8(ascii: " ") { place += 1 }
            let pair = bytes[place..<end]
            if pair.starts(with: Array("\(name)=".utf8)) {
                return Array(pair.dropFirst(name.utf8.count + 1))
            }
            start = end + 1
        }
        return nil
    }

    /// Lends the fields in the library's form.
    func withFields(_ body: (UnsafeBufferPointer<chttpd_field>) -> Void) {
        // With the further byte, the memory has an address even if there is no field.
        let memory: [UInt8] = fields.flatMap { field in field.name + field.value } + [0]
        memory.withUnsafeBytes { memory in
            guard let base = memory.bindMemory(to: CChar.self).baseAddress else { return }
            var place = 0
            let fields = fields.map { field in
                defer { place += field.name.count + field.value.count }
                return chttpd_field(
                    name: base + place,
                    value: base + place + field.name.count,
                    name_length: field.name.count,
                    value_length: field.value.count
                )
            }
            fields.withUnsafeBufferPointer(body)
        }
    }
}
