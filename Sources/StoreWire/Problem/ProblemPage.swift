/// The page that explains one kind of problem, as text or as HTML.
package struct ProblemPage: Sendable, Equatable {
    package static let htmlContentType = "text/html; charset=utf-8"

    package let slug: ProblemSlug
    package let title: String
    /// A text with the cause of the problem and the meaning of its members.
    package let meaning: String
    /// A text with the next steps for the client.
    package let remedy: String

    /// The page as text for a terminal. Its paragraphs have lines of at most 78 columns.
    package var text: String {
        """
        \(title)
        \(slug.status) \(slug.rawValue)

        \(ProblemPage.wrapped(meaning))

        What to do
        \(ProblemPage.wrapped(remedy))

        """
    }

    /// The page as HTML for a browser. The document has no scripts, no styles and no links to other
    /// files.
    package var html: String {
        HTML.page(
            title,
            body: """
                <p><code>\(slug.status) \(slug.rawValue)</code></p>
                <p>\(HTML.escaped(meaning))</p>
                <h2>What to do</h2>
                <p>\(HTML.escaped(remedy))</p>
                """
        )
    }

    private static func wrapped(_ text: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > 78 {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        lines.append(line)
        return lines.joined(separator: "\n")
    }
}
