import CStoreCurl
import StorePlatform
import Synchronization

/// The loop that makes all transfers of a client, on a thread of its own.
final class CurlLoop: Sendable {
    private struct Inbox: Sendable {
        var submittedTransfers: [CurlTransfer] = []
        var cancellations: [CurlCancellation] = []
        /// The number of requests that are new or being transferred.
        var unfinishedCount = 0
        var isClosing = false
        /// True if the thread is about to end. The thread then frees `multi`, so no other thread
        /// may use `multi`.
        var isThreadEnding = false
    }

    /// The longest time for which the thread waits if no event comes.
    private static let waitMillisecondsMax: Int32 = 60_000

    private let inbox = Locked(Inbox())
    private let authoritiesPath: String?
    private let usesProxies: Bool
    // Safety: only the loop's thread uses `multi`, with an exception that libcurl allows. Any
    // thread may call `multi_wakeup`, but only under the lock and while `isThreadEnding` is false.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer?

    init(authorities: String?, usesProxies: Bool = true) {
        self.authoritiesPath = authorities
        self.usesProxies = usesProxies
        multi = CurlLibrary.isReady ? curl().multi_init() : nil
        guard let multi else { return }
        _ = ccurl_multi_set_number(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, CurlClient.connectionsMax)
        _ = ccurl_multi_set_number(
            multi,
            CURLMOPT_MAX_HOST_CONNECTIONS,
            CurlClient.connectionsPerHostMax
        )
        // The thread blocks SIGPIPE. Otherwise the process would end when a TLS library writes to a
        // closed connection.
        SystemThread.start(name: "http-client") { [self] in run() }
    }

    /// Queues a request. If there are too many requests already, the new request fails at once. Any
    /// thread may call this function.
    func submit(_ transfer: CurlTransfer) {
        let isTaken = inbox.withLock { inbox -> Bool in
            guard let multi, !inbox.isThreadEnding, inbox.unfinishedCount < CurlClient.requestsMax
            else {
                return false
            }
            inbox.unfinishedCount += 1
            inbox.submittedTransfers.append(transfer)
            _ = curl().multi_wakeup(multi)
            return true
        }
        if !isTaken {
            let excess = "\(CurlClient.requestsMax) requests are in progress already"
            let cause = multi == nil ? "libcurl can't start" : excess
            transfer.fail(.busy, cause)
        }
    }

    /// Cancels a request, even if the request is not queued yet. Any thread may call this function.
    func cancel(_ ticket: CurlCancellation) {
        ticket.isCancelled.store(true, ordering: .releasing)
        inbox.withLock { inbox in
            guard let multi, !inbox.isThreadEnding else { return }
            inbox.cancellations.append(ticket)
            _ = curl().multi_wakeup(multi)
        }
    }

    /// Lets the thread end when no request is left. The caller must not submit further requests.
    func close() {
        inbox.withLock { inbox in
            inbox.isClosing = true
            if let multi, !inbox.isThreadEnding { _ = curl().multi_wakeup(multi) }
        }
    }
}

// The thread

extension CurlLoop {
    private func run() {
        guard let multi else { return }
        var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]
        while let inbox = takeInbox() {
            for transfer in inbox.new { begin(transfer, multi, &running) }
            for ticket in inbox.cancelled {
                for (handle, transfer) in running where transfer.cancellation === ticket {
                    running[handle] = nil
                    end(transfer, multi) { $0.cancel() }
                }
            }
            var count: Int32 = 0
            var code = curl().multi_perform(multi, &count)
            var result = CURLE_OK
            while let handle = ccurl_multi_ended(multi, &result) {
                guard let transfer = running.removeValue(forKey: handle) else { continue }
                end(transfer, multi) { $0.complete(result) }
            }
            if code == CURLM_OK {
                code = curl().multi_poll(multi, nil, 0, Self.waitMillisecondsMax, nil)
            }
            guard code != CURLM_OK else { continue }
            let cause = CurlLibrary.text(curl().multi_strerror(code))
            for transfer in running.values { end(transfer, multi) { $0.fail(.unreachable, cause) } }
            running = [:]
        }
        _ = curl().multi_cleanup(multi)
    }

    /// Takes the new requests and the cancellations. Returns `nil` if the thread is to end.
    private func takeInbox() -> (new: [CurlTransfer], cancelled: [CurlCancellation])? {
        inbox.withLock { inbox in
            if inbox.isClosing && inbox.unfinishedCount == 0 {
                inbox.isThreadEnding = true
                return nil
            }
            return (
                exchange(&inbox.submittedTransfers, with: []),
                exchange(&inbox.cancellations, with: [])
            )
        }
    }

    private func begin(
        _ transfer: CurlTransfer,
        _ multi: UnsafeMutableRawPointer,
        _ running: inout [UnsafeMutableRawPointer: CurlTransfer]
    ) {
        // A cancellation may have arrived before its request, without a transfer to cancel. So the
        // flag is read here.
        guard !transfer.cancellation.isCancelled.load(ordering: .acquiring) else {
            return end(transfer, multi) { $0.cancel() }
        }
        guard
            let handle = transfer.makeHandle(
                authorities: authoritiesPath,
                usesProxies: usesProxies
            ),
            curl().multi_add_handle(multi, handle) == CURLM_OK
        else { return end(transfer, multi) { $0.fail(.busy, "libcurl takes no further request") } }
        running[handle] = transfer
    }

    private func end(
        _ transfer: CurlTransfer,
        _ multi: UnsafeMutableRawPointer,
        _ complete: (CurlTransfer) -> Void
    ) {
        if let handle = transfer.handle { _ = curl().multi_remove_handle(multi, handle) }
        inbox.withLock { $0.unfinishedCount -= 1 }
        complete(transfer)
        transfer.release()
    }
}
