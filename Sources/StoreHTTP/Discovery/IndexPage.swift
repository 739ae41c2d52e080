import HTTPTransport
import Wire

/// The page at `/`: every route with what it does, without scripts, styles or anything that is
/// loaded.
struct IndexPage {
    let title: String
    let routes: [Route]

    var html: String {
        HTML.page(title, body: "<dl>\n\(routes.map(row).joined(separator: "\n"))\n</dl>")
    }

    private func row(_ route: Route) -> String {
        let path = HTML.escaped(route.path.text)
        // What a browser can open by itself.
        let isOpen = route.hasHead && route.path.isLiteral
        let shown = isOpen ? "<a href=\"\(path)\">\(path)</a>" : path
        return "<dt><code>\(route.method.name) \(shown)</code></dt>"
            + "<dd>\(HTML.escaped(route.summary))</dd>"
    }
}
