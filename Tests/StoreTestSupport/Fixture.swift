package import Foundation
import Testing

/// The folder of the fixtures that other validators read, too.
package let fixturesFolder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "BlackBox/fixtures")

/// Compares bytes with a fixture; `STORE_SERVER_RECORD=1` writes the file instead, and fails.
package func expectFixture(_ name: String, _ bytes: [UInt8]) throws {
    let file = fixturesFolder.appending(path: name)
    let derived = Data(bytes) + Data("\n".utf8)
    if ProcessInfo.processInfo.environment["STORE_SERVER_RECORD"] != nil {
        try derived.write(to: file)
        Issue.record("\(name) was recorded. Look at it, and run the tests without recording.")
    }
    let expected = try Data(contentsOf: file)
    #expect(
        derived == expected,
        "\(name) differs from \(String(decoding: derived, as: UTF8.self))"
    )
}
