import Glibc
import StoreCore
import StoreJSON
import StoreTexts
import StoreWire

@testable import StoreAdmission
@testable import StoreHTTP
@testable import StoreHTTPTransport

/// The parts of a request, each by its own reader: the first byte chooses the reader.
///
/// If a value has only one text, the read value must give that text again. Every other value is
/// compared with the value of a simpler reader.
struct FieldsTarget: FuzzTarget {
    /// The number of readers.
    private static let readersCount: UInt8 = 16

    private let heads = HeadCheck()

    func run(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        // The values of the first byte are the letters from `@` on.
        switch first % Self.readersCount {
        case 0: heads.check(rest)
        case 1: Self.checkTarget(rest)
        case 2: Self.checkEntityTags(rest.text)
        case 3: Self.checkPreferences(rest.text)
        case 4: Self.checkStructuredString(rest.text)
        case 5: Self.checkMediaType(rest.text)
        case 6: Self.checkForwarded(rest)
        case 7: Self.checkTrace(rest)
        case 8: Self.checkTag(rest.text)
        case 9: Self.checkPointer(rest)
        case 10: Self.checkPercentEncoding(rest)
        case 11: Self.checkReference(rest.text)
        case 12: Self.checkHost(rest.text)
        case 13: Self.checkTime(rest.text)
        case 14: Self.checkQuery(rest.text)
        default: Self.checkAddresses(rest.text)
        }
    }
}

// MARK: - The target

extension FieldsTarget {
    /// Checks that the parts of a target, joined, are the whole target.
    private static func checkTarget(_ bytes: [UInt8]) {
        guard let target = try? RequestTarget(bytes, of: .get) else { return }
        let query = target.query.map { [UInt8(ascii: "?")] + bytes[$0] } ?? []
        let start = target.authority.map { "http://".utf8.count..<$0.upperBound } ?? 0..<0
        hold(
            bytes[target.path] + query == bytes[start.upperBound...],
            "Path and query are what stands behind the authority."
        )
        hold(target.authority.map { !$0.isEmpty } ?? true, "An authority has a host.")
        hold(
            bytes[target.path].first.map { $0 == UInt8(ascii: "/") } ?? (target.authority != nil),
            "A path begins with a slash."
        )
        hold(bytes.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x23 }, "A target has no fragment.")
    }

    private static func checkQuery(_ text: String) {
        let allowed: [any RouteParameter] = [
            Parameter.visibleASCII("name", bytes: 1...8, "A name."),
            Parameter.visibleASCII("other", bytes: 1...80, "Another."),
        ]
        guard let query = try? Query(text, allowed: allowed) else { return }
        for name in ["name", "other"] {
            guard let value = query[name] else { continue }
            hold(text.utf8.count >= value.utf8.count, "A value is no longer than its query.")
            hold(name != "name" || 1...8 ~= value.utf8.count, "A value is within its bounds.")
        }
    }

    private static func checkPercentEncoding(_ bytes: [UInt8]) {
        if let decoded = PercentEncoding.decode(bytes.text) {
            hold(
                PercentEncoding.decode(PercentEncoding.encode(decoded)) == decoded,
                "What is encoded means the same."
            )
        }
        let normal = bytes.withUnsafeBytes { PercentEncoding.normalized($0) }
        let again = normal.withUnsafeBytes { PercentEncoding.normalized($0) }
        hold(normal.count <= bytes.count, "The normal form is no longer.")
        hold(
            PercentEncoding.decode(normal.text).map { Array($0.utf8) }
                == PercentEncoding.decode(bytes.text).map { Array($0.utf8) },
            "The normal form means the same."
        )
        // The normal form of `%2525` is `%2525`, and not `%25`.
        hold(again == normal, "The normal form is its own.")
    }

    /// Checks pointers. A pointer has one text; in a path, it may have several.
    private static func checkPointer(_ bytes: [UInt8]) {
        let text = bytes.text
        if let pointer = JSONPointer(text) {
            hold(pointer.description.utf8.elementsEqual(text.utf8), "A pointer has one text.")
        }
        guard let pointer = JSONPointer(path: text) else { return }
        let path = pointer.tokens.map {
            "/" + PercentEncoding.encode(JSONPointer.escaped($0))
        }
        hold(JSONPointer(path: path.joined()) == pointer, "A path leads to the same.")
    }

    private static func checkReference(_ text: String) {
        guard URIReference.isValid(text) else { return }
        hold(text.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "A reference is visible ASCII.")
        hold(text.utf8.count(where: { $0 == 0x23 }) <= 1, "A reference has one fragment.")
    }
}

// MARK: - Values of fields

extension FieldsTarget {
    private static func checkEntityTags(_ text: String) {
        guard case .list(let tags) = EntityTagCondition(text) else { return }
        hold(1...EntityTagCondition.tagsMax ~= tags.count, "A list has a bound.")
        let written = tags.map(\.description).joined(separator: ", ")
        hold(EntityTagCondition(written) == .list(tags), "A list reads back as the same.")
    }

    private static func checkPreferences(_ text: String) {
        let preferences = Preferences(text)
        hold(preferences.waitSeconds.map { $0 >= 0 } ?? true, "A wait is no negative time.")
        // The first of two preferences with one name counts.
        let first = Preferences("return=minimal, wait=7, " + text)
        hold(first.returnForm == .minimal && first.waitSeconds == 7, "The first counts.")
    }

    private static func checkStructuredString(_ text: String) {
        guard let value = StructuredString.parse(text) else { return }
        hold(value.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "A string is printable ASCII.")
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        hold(StructuredString.parse("\"\(escaped)\"") == value, "A string reads back as the same.")
    }

    private static func checkMediaType(_ text: String) {
        guard let type = MediaType(text) else { return }
        var written = "\(type.type)/\(type.subtype)"
        for parameter in type.parameters {
            let value = parameter.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            written += ";\(parameter.name)=\"\(value)\""
        }
        hold(MediaType(written) == type, "A media type reads back as the same.")
    }

    private static func checkForwarded(_ bytes: [UInt8]) {
        func check(_ address: IPAddress?) {
            guard let address else { return }
            hold(IPAddress(address.description) == address, "An address reads back as the same.")
        }
        bytes.withUnsafeBytes { bytes in
            ForwardedField.visitForwarded(bytes, check)
            ForwardedField.visitXForwardedFor(bytes, check)
        }
    }

    private static func checkTrace(_ bytes: [UInt8]) {
        guard TraceContext.isTraceparent(bytes) else { return }
        let isHex = bytes.enumerated().allSatisfy { place, byte in
            [2, 35, 52].contains(place)
                ? byte == UInt8(ascii: "-") : "0123456789abcdef".utf8.contains(byte)
        }
        hold(bytes.count == 55 && isHex, "A traceparent has digits and three hyphens.")
        hold(!bytes[3..<35].allSatisfy { $0 == 0x30 }, "A trace is not zero.")
        let meta = TraceContext.meta(bytes.text, before: Array(#"{"a":1}"#.utf8))
        hold(TraceContext.traceparent(in: meta) == bytes.text, "A meta has the trace.")
    }

    private static func checkTag(_ text: String) {
        guard let tag = Tag(text) else { return }
        hold(tag.description.utf8.elementsEqual(text.utf8), "A tag has one text.")
        hold(text.utf8.count <= Tag.bytesMax, "A tag has a bound.")
    }

    private static func checkTime(_ text: String) {
        guard let time = CivilTime.nanoseconds(rfc3339: text) else { return }
        let written = CivilTime(nanosecondsSince1970: time).rfc3339(.nanoseconds)
        hold(CivilTime.nanoseconds(rfc3339: written) == time, "A time reads back as the same.")
        hold(written.hasPrefix(text.prefix(19)), "A time keeps its parts.")
    }

    private static func checkAddresses(_ text: String) {
        if let address = IPAddress(text) {
            hold(IPAddress(address.description) == address, "An address reads back as the same.")
            hold(
                AddressRange(address.description)?.contains(address) == true,
                "An address is in its own range."
            )
        }
        _ = AddressRange(text)
        _ = ListenAddress(text)
    }

    /// Checks with a simpler reader if a host is loopback.
    private static func checkHost(_ text: String) {
        let rule = HostRule(listening: [], additional: ["store.example"])
        guard rule.allows(text) else { return }
        var bytes = Array(text.utf8)
        if let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            bytes[(colon + 1)...].allSatisfy({ 48...57 ~= $0 }), bytes.last != UInt8(ascii: "]")
        {
            bytes = Array(bytes[..<colon])
        }
        let name = bytes.map { 65...90 ~= $0 ? $0 | 0x20 : $0 }.text
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        let isV4 =
            numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
        hold(
            isV4 || ["localhost", "[::1]", "store.example"].contains(name)
                || name.hasSuffix(".localhost"),
            "\(name) is neither loopback nor allowed."
        )
    }
}
