import Foundation
import StoreJSON
import StoreWireFoundation
import Testing

/// The adapters compared with Foundation's own coders, value by value and byte by byte.
@Suite struct AdapterTests {
    private let own = (
        encoder: StoreJSON.JSONEncoder(adapters: .foundation),
        decoder: StoreJSON.JSONDecoder(adapters: .foundation)
    )
    private let theirs: (encoder: Foundation.JSONEncoder, decoder: Foundation.JSONDecoder)

    init() {
        theirs = (Foundation.JSONEncoder(), Foundation.JSONDecoder())
        theirs.encoder.dateEncodingStrategy = .iso8601
        theirs.encoder.outputFormatting = .withoutEscapingSlashes
        theirs.decoder.dateDecodingStrategy = .iso8601
    }

    private func expectSameBytes<T: Codable & Equatable>(_ values: [T]) {
        for value in values {
            let one = try? own.encoder.encode(["a": [value]])
            let other = try? theirs.encoder.encode(["a": [value]])
            #expect(one.map { text($0) } == other.map { text(Array($0)) }, "\(value)")
        }
    }

    private func expectSameReading<T: Codable & Equatable>(_ type: T.Type, _ scalars: [String]) {
        for scalar in scalars {
            let document = Array("[\(scalar)]".utf8)
            let one = try? own.decoder.decode([T].self, from: document)
            let other = try? theirs.decoder.decode([T].self, from: Data(document))
            #expect(one == other, "\(scalar)")
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private let dates = [
        0, -1, 1, 0.5, 0.999_999, -0.5, -0.000_1, 951_782_399, 951_782_400, 1_795_230_429.75,
        4_102_444_799, 253_402_300_799, -2_208_988_800, -62_135_596_800,
    ].map { Date(timeIntervalSince1970: $0) }

    @Test func `a date is the same text`() {
        expectSameBytes(dates + [.distantPast, .distantFuture, Date(timeIntervalSince1970: 1e12)])
    }

    @Test func `a date is read from the same texts`() {
        expectSameReading(
            Date.self,
            dates.map { "\"\($0.formatted(.iso8601))\"" } + [
                #""2026-11-21T03:07:09+01:00""#, #""2026-11-21T03:07:09.5Z""#,
                #""2026-11-21T03:07:09z""#, #""2026-11-21t03:07:09Z""#, #""2026-11-21""#,
                #""2026-11-21 03:07:09Z""#, #""2026-11-21T03:07:09""#, #""2026-02-30T00:00:00Z""#,
                #""2026-11-21T24:00:00Z""#, #""2026-11-21T23:59:60Z""#, #""20261121T030709Z""#,
                #""""#, #"" ""#, "5", "null", "{}", #""2026-11-21T03:07:09Z ""#,
            ]
        )
    }

    @Test func `a URL is the same text`() {
        expectSameBytes(
            [
                "https://example.org/a?b=c#d", "/relative/path", "a b", "mailto:a@b.c",
                "https://xn--bcher-kva.example/%C3%A9", "file:///tmp/x%20y", "?q", "#f", ".",
                "//host",
                "https://bücher.example/é?ö=\"ü\"", "http://[::1]:8080/",
            ].compactMap { URL(string: $0) }
                + [URL(string: "b/c", relativeTo: URL(string: "https://example.org/a/"))]
                .compactMap(\.self)
        )
    }

    @Test func `a URL is read from the same texts`() {
        expectSameReading(
            URL.self,
            [
                #""""#, #"" ""#, #""http://[""#, #""http://[::1]/""#, #""é""#, #""a\u0000b""#,
                #""%""#, #""https:\/\/example.org""#, "1", "null", "[]",
            ]
        )
    }

    private let decimals = [
        "0", "-0", "1", "-1", "0.1", "12345.678", "1e10", "1e-10", "1e38", "1e127", "1e-128",
        "100", "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
        "340282366920938463463374607431768211455", "18446744073709551616", "3.14159265358979323846",
    ]

    @Test func `a decimal is the same number`() {
        expectSameBytes(
            decimals.compactMap { Decimal(string: $0) } + [
                .greatestFiniteMagnitude, .leastNonzeroMagnitude, .leastFiniteMagnitude, .pi,
                Decimal(0.1), Decimal(sign: .minus, exponent: 100, significand: 7),
            ]
        )
    }

    @Test func `a decimal that is no number is refused, unlike in Foundation`() {
        #expect {
            try own.encoder.encode(["a": Decimal.nan])
        } throws: {
            let error = $0 as? JSONError
            return error?.code == .unencodable && error?.pointer == "/a"
        }
    }

    @Test func `a decimal is read from the same numbers`() {
        expectSameReading(
            Decimal.self,
            decimals + [
                "1e400", "1e-400", "1e128", "-1E+2", "1.50", "null", "\"1\"", "true",
                "123456789012345678901234567890123456789012345678901234567890",
                "0.123456789012345678901234567890123456789012345678901234567890",
            ]
        )
    }

    @Test func `data is the same base64`() {
        expectSameBytes(
            (0..<70).map { count in Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }) }
                + [Data(repeating: 255, count: 3), Data(0...255), Data([0xFB, 0xEF, 0xBE])]
        )
    }

    @Test func `data is read from the same texts`() {
        expectSameReading(
            Data.self,
            [
                #""""#, #""AA==""#, #""AA""#, #""A""#, #""AA==\n""#, #""AAA=""#, #""A A=""#,
                #""-_-_""#, #""\/\/\/\/""#, #""=""#, #""AAAA====""#, #""é""#, "[1,2]", "1", "null",
            ]
        )
    }

    @Test func `a UUID is the same text, and read from the same texts`() {
        expectSameBytes([
            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
            UUID(uuid: (255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)),
        ])
        expectSameReading(
            UUID.self,
            [
                #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#,
                #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#,
                #""E621E1F8C36C495A93FC0C247A3E6E5F""#, #""""#, #""x""#, "1", "null",
                #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F ""#,
            ]
        )
    }

    @Test func `optional values are the same`() {
        expectSameBytes([[dates[0], nil], [], [nil]])
        expectSameBytes([[Decimal(1), nil]])
        expectSameBytes([[Data(), nil]])
    }
}
