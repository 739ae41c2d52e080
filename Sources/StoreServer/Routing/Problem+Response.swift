import HTTPTransport
import Wire

extension Problem {
    /// The response that tells a client of the problem.
    func response(for requestID: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: responseHeaders.map { ($0.name, $0.value) },
            body: .shared(at(instance: requestID).body)
        )
    }

    /// The transport's refusals in words.
    init(_ failure: TransportFailure) {
        switch failure {
        case .malformed(let detail): self = .badRequest(detail)
        case .headersTooLarge(let limit): self = .headersTooLarge(limit: limit)
        case .uriTooLong(let limit): self = .uriTooLong(limit: limit)
        case .bodyTooLarge(let limit): self = .tooLarge(limit: limit)
        case .timeout(let part, let seconds): self = .timeout(of: part, seconds: seconds)
        case .connectionLimit(let limit):
            self = .overloaded("all of the \(limit) connections that this server takes are in use")
        case .stopping: self = .draining()
        }
    }
}
