import StoreHTTPTransport
import StoreWire

/// The page at the root of a store: a description, links for a browser, an example dispatch, and
/// the other routes. The page loads nothing and has no scripts or styles.
struct IndexPage {
    let program: String
    let programVersion: String
    /// The newest version of the state; `nil` if there is no store behind the page.
    let newestVersion: UInt64?
    let links: Links
    let routes: [Route]
    /// The example of a body for `POST /dispatch`.
    let example: String?
    /// The client's name for the server: the `Host` of the request.
    let host: String

    var html: String {
        let body = [aboutSection, readingSection, dispatchSection, otherRoutesSection].joined(
            separator: "\n"
        )
        return HTML.page(links.storeName ?? program, body: body)
    }

    private var aboutSection: String {
        let program = HTML.escaped("\(self.program) \(programVersion)")
        let newest = newestVersion.map { " Its state is at version \($0)." } ?? ""
        let several =
            links.storeName == nil
            ? "" : " It is one of the <a href=\"\(Links.stores)\">stores</a> of its process."
        return """
            <p>This is a store, served by \(program): clients dispatch actions, a reducer makes the \
            next state from each action, and every subscriber gets this \
            state.\(newest)\(several)</p>
            """
    }

    /// The list of the routes that answer a plain `GET`.
    private var readingSection: String {
        let shown = routes.filter { $0.isOpenableByLink && $0.path.text != links.index }
        let items = shown.map { route in
            let path = HTML.escaped(route.path.text)
            return "<li><a href=\"\(path)\">\(path)</a>: \(HTML.escaped(route.summary))</li>"
        }
        return section("Read it", "<ul>\n\(items.joined(separator: "\n"))\n</ul>")
    }

    private var dispatchSection: String {
        let body = (example ?? #"{"type":"\u{2026}","payload":{}}"#).replacing("'", with: #"'\''"#)
        let command = """
            curl http://\(host)\(links.dispatch) -H 'Content-Type: application/json' \\
                -d '\(body)'
            """
        let schema = HTML.escaped(links.schema)
        return section(
            "Change it",
            """
            <pre>\(HTML.escaped(command))</pre>
            <p>The answer has the version that the action made. \
            <a href="\(schema)">\(schema)</a> has every action and its payload.</p>
            """
        )
    }

    /// The list of the routes that a link can't open.
    private var otherRoutesSection: String {
        let rows = routes.filter { !$0.isOpenableByLink }.map { route in
            "<dt><code>\(route.method.name) \(HTML.escaped(route.path.text))</code></dt>"
                + "<dd>\(HTML.escaped(route.summary))</dd>"
        }
        return section("Other requests", "<dl>\n\(rows.joined(separator: "\n"))\n</dl>")
    }

    private func section(_ title: String, _ body: String) -> String { "<h2>\(title)</h2>\n\(body)" }
}

extension Route {
    /// True if a browser can open the route by a link: its method is `GET`, and it has no required
    /// parameters. Parameters of a path are required.
    fileprivate var isOpenableByLink: Bool {
        method == .get && !parameters.contains { $0.description.isRequired }
    }
}
