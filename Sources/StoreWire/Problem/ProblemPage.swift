/// The page that explains one kind of problem, as text or as HTML.
package struct ProblemPage: Sendable, Equatable {
    package static let htmlContentType = "text/html; charset=utf-8"

    package let slug: ProblemSlug
    package let title: String
    /// The event that causes the problem, and the meaning of the members.
    package let meaning: String
    /// The next steps of the client.
    package let remedy: String

    /// The page for a terminal: lines of at most 78 columns.
    package var text: String {
        """
        \(title)
        \(slug.status) \(slug.rawValue)

        \(ProblemPage.wrapped(meaning))

        What to do
        \(ProblemPage.wrapped(remedy))

        """
    }

    /// The page for a browser: a document without scripts, without styles and without links to
    /// other files.
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
