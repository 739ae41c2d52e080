// The import of StoreHTTPClient brings the client, too, as in a user's program.
import StoreCore
import StoreHTTPClient
import Testing

@Suite struct HTTPClientKeyTests {
    @Test func `a test has no client unless it sets one`() async throws {
        struct Double: HTTPClient {
            func response(to request: HTTPRequest) -> HTTPResponse { HTTPResponse(status: 204) }
        }
        let error = #expect(throws: UnpreparedDependency.self) {
            try Dependencies.unprepared.http
        }
        #expect(error?.key == "HTTPClientKey")
        let world = Dependencies.unprepared.setting(HTTPClientKey.self, to: Double())
        let response = try await world.http.response(to: .get("http://nobody.example/"))
        #expect(response.status == 204)
        let live = try Dependencies.live.http
        #expect(live is CurlClient)
    }
}
