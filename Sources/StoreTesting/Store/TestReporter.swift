public import Testing

/// Receives the failures that a ``TestStore`` finds in a test.
///
/// By default these are issues of Swift Testing, at the caller's place. In XCTest:
///
/// ```swift
/// let reporter = TestReporter { text, place in
///     XCTFail(text, file: #filePath, line: UInt(place.line))
/// }
/// ```
public struct TestReporter: Sendable {
    let failed: @Sendable (String, SourceLocation) -> Void
    let noted: @Sendable (String, SourceLocation) -> Void

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - noted: receives a warning with the skipped events, if the test asks for warnings.
    ///   - failed: receives a failure.
    public init(
        noted: @escaping @Sendable (String, SourceLocation) -> Void = { _, _ in },
        failed: @escaping @Sendable (String, SourceLocation) -> Void
    ) {
        self.noted = noted
        self.failed = failed
    }

    /// Records issues of Swift Testing.
    public static let issues = TestReporter { text, place in
        Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: place)
    } failed: { text, place in
        Issue.record(Comment(rawValue: text), sourceLocation: place)
    }
}
