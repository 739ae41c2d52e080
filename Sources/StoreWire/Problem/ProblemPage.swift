/// The page that explains one kind of problem, as text or as HTML.
package struct ProblemPage: Sendable, Equatable {
    package static let htmlContentType = "text/html; charset=utf-8"

    package let slug: ProblemSlug
    package let title: String
    /// What has happened, and the meaning of the members.
    package let meaning: String
    /// What to do next.
    package let remedy: String

    /// For a terminal: lines of at most 78 columns.
    package var text: String {
        """
        \(title)
        \(slug.status) \(slug.rawValue)

        \(ProblemPage.wrapped(meaning))

        What to do
        \(ProblemPage.wrapped(remedy))

        """
    }

    /// For a browser: one document without scripts, styles or anything that is loaded.
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

    private static func wrapped(_ text: String, columns: Int = 78) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        lines.append(line)
        return lines.joined(separator: "\n")
    }
}
