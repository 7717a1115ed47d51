// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes
import NIOCore
import Testing

@testable import HTTPTransport

@Suite("Exchange state machine")
struct ExchangeStateMachineTests {
    typealias Machine = ExchangeStateMachine

    /// Returns a time in seconds.
    private static func time(_ seconds: UInt64) -> NIODeadline { .uptimeNanoseconds(seconds * 1_000_000_000) }

    /// Returns a machine in the given state at second 0.
    private static func machine(
        _ phase: Machine.Phase, _ upload: Machine.Upload = .complete, on medium: Machine.Medium = .connection,
        keepsAlive: Bool = true
    ) -> Machine {
        var machine = Machine(medium)
        guard phase != .idle else { return machine }
        _ = machine.start(hasBodyToFollow: upload != .complete, now: time(0))
        switch upload {
        case .complete: machine.completeUpload()
        case .leaving: _ = machine.sendEnd()
        case .waiting, .unwanted: break
        }
        guard phase != .awaitingHead else { return machine }
        _ = machine.receiveHead(upload == .unwanted ? .contentTooLarge : .ok, keepsAlive: keepsAlive, now: time(0))
        switch phase {
        case .arriving(let size): _ = machine.receiveBody(size, now: time(0))
        case .receiving: _ = machine.deliver()
        case .closed: _ = machine.fail()
        case .idle, .awaitingHead: break
        }
        return machine
    }

    private static let phases: [Machine.Phase] = [.idle, .awaitingHead, .arriving(size: 0), .receiving, .closed]

    // MARK: The request

    @Test("An exchange starts only in the idle state", arguments: phases)
    func start(phase: Machine.Phase) {
        var machine = Self.machine(phase)
        #expect(machine.start(hasBodyToFollow: false, now: Self.time(0)) == (phase == .idle))
    }

    @Test(
        "Parts of a body are sent until its end was sent or the server has refused it",
        arguments: [(Machine.Upload.waiting, true), (.leaving, false), (.complete, false), (.unwanted, false)])
    func parts(upload: Machine.Upload, isSent: Bool) {
        var machine = Self.machine(.receiving, upload)
        #expect(machine.sendPart(now: Self.time(0)) == isSent)
        #expect(machine.sendEnd() == isSent)
        #expect(machine.sendEnd() == false)
    }

    @Test("The response timeout starts when the request was sent completely, unless the response has arrived")
    func departure() {
        var machine = Self.machine(.awaitingHead, .leaving)
        #expect(machine.noteWritten(isLast: false, now: Self.time(1)) == false)
        #expect(machine.upload == .leaving)
        #expect(machine.noteWritten(isLast: true, now: Self.time(2)) == true)
        #expect(machine.upload == .complete)
        machine = Self.machine(.receiving, .leaving)
        #expect(machine.noteWritten(isLast: true, now: Self.time(2)) == false)
    }

    // MARK: The response

    @Test(
        "Only the interim response 100 has an effect",
        arguments: [
            (HTTPResponse.Status.continue, Machine.InformationAction.permitUpload), (.earlyHints, .ignore),
            (.switchingProtocols, .refuse),
        ])
    func information(status: HTTPResponse.Status, action: Machine.InformationAction) {
        var machine = Self.machine(.awaitingHead)
        #expect(machine.receiveInformation(status, now: Self.time(0)) == action)
    }

    @Test("The number of interim responses is limited")
    func maximumInterimResponses() {
        var machine = Self.machine(.awaitingHead)
        for _ in 0..<Machine.maximumInterimResponses {
            #expect(machine.receiveInformation(.earlyHints, now: Self.time(0)) == .ignore)
        }
        #expect(machine.receiveInformation(.earlyHints, now: Self.time(0)) == .refuse)
    }

    @Test("An unrequested response is refused", arguments: phases)
    func unrequested(phase: Machine.Phase) {
        var machine = Self.machine(phase)
        #expect((machine.receiveInformation(.earlyHints, now: Self.time(0)) == .refuse) == (phase != .awaitingHead))
        machine = Self.machine(phase)
        #expect((machine.receiveHead(.ok, keepsAlive: true, now: Self.time(0)) == .refuse) == (phase != .awaitingHead))
        let hasHead = [.arriving(size: 0), .receiving].contains(phase)
        machine = Self.machine(phase)
        #expect((machine.receiveBody(1, now: Self.time(0)) == .refuse) == !hasHead)
        machine = Self.machine(phase)
        #expect((machine.receiveEnd(isAlone: true, now: Self.time(0)) == .refuse) == !hasHead)
    }

    @Test(
        "A head that arrives before the end of the body stops the upload, unless its status is a success",
        arguments: [
            (HTTPResponse.Status.ok, Machine.Upload.waiting, Machine.Upload.waiting),
            (.contentTooLarge, .waiting, .unwanted), (.contentTooLarge, .leaving, .leaving),
            (.contentTooLarge, .complete, .complete),
        ])
    func earlyHead(status: HTTPResponse.Status, upload: Machine.Upload, then: Machine.Upload) {
        var machine = Self.machine(.awaitingHead, upload)
        #expect(
            machine.receiveHead(status, keepsAlive: true, now: Self.time(0))
                == .hold(refusesUpload: then == .unwanted))
        #expect(machine.upload == then)
        #expect(machine.deliver() == (then == .waiting))
    }

    @Test(
        "A body is held until the end of the read, and delivered earlier if it is large",
        arguments: [
            (0, Machine.BodyAction.ignore), (1, .hold), (Machine.arrivalLimit, .hold),
            (Machine.arrivalLimit + 1, .holdAndDeliver),
        ])
    func arrival(size: Int, action: Machine.BodyAction) {
        var machine = Self.machine(.arriving(size: 0))
        #expect(machine.receiveBody(size, now: Self.time(0)) == action)
        _ = machine.deliver()
        #expect(machine.receiveBody(size, now: Self.time(0)) == (size == 0 ? .ignore : .append))
    }

    struct End: CustomTestStringConvertible {
        let testDescription: String
        let machine: Machine
        var isAlone = true
        let next: Machine.EndAction.Next
    }

    static let ends: [End] = [
        End(testDescription: "HTTP/1", machine: machine(.receiving), next: .reuse),
        End(testDescription: "HTTP/1, closing", machine: machine(.receiving, keepsAlive: false), next: .close),
        End(testDescription: "HTTP/1, further bytes", machine: machine(.receiving), isAlone: false, next: .close),
        End(testDescription: "HTTP/1, body refused", machine: machine(.receiving, .unwanted), next: .close),
        End(testDescription: "HTTP/1, body not sent", machine: machine(.receiving, .leaving), next: .close),
        End(testDescription: "HTTP/2", machine: machine(.receiving, on: .stream), next: .leave),
        End(
            testDescription: "HTTP/2, body refused", machine: machine(.receiving, .unwanted, on: .stream), next: .close
        ),
        End(
            testDescription: "HTTP/2, body not sent", machine: machine(.receiving, .waiting, on: .stream), next: .close),
    ]

    @Test("A connection is reused after a complete request and a complete response", arguments: ends)
    func end(row: End) {
        var machine = row.machine
        #expect(
            machine.receiveEnd(isAlone: row.isAlone, now: Self.time(0)) == .finish(isDelivered: true, row.next))
        #expect(machine.phase == (row.next == .reuse ? .idle : .closed))
    }

    @Test("A response that arrives in one read is delivered as a whole")
    func complete() {
        var machine = Self.machine(.arriving(size: 5))
        #expect(machine.receiveEnd(isAlone: true, now: Self.time(0)) == .finish(isDelivered: false, .reuse))
    }

    // MARK: Failures

    @Test(
        "A failure ends an exchange in every phase",
        arguments: [
            (Machine.Medium.connection, Machine.Phase.idle, Machine.FailureAction.remember), (.stream, .idle, .ignore),
            (.stream, .awaitingHead, .failHead), (.stream, .receiving, .failBody), (.stream, .closed, .ignore),
        ])
    func failure(medium: Machine.Medium, phase: Machine.Phase, action: Machine.FailureAction) {
        var machine = Self.machine(phase, on: medium)
        #expect(machine.fail() == action)
        #expect(machine.phase == .closed)
        #expect(machine.fail() == .ignore)
    }

    @Test("An exchange ends if the reader of its body ends", arguments: phases)
    func abandonment(phase: Machine.Phase) {
        var machine = Self.machine(phase)
        #expect(machine.abandon() == (phase == .receiving))
    }

    @Test("The response timeout applies until the head arrives, and the total timeout until the end", arguments: phases)
    func limits(phase: Machine.Phase) {
        let machine = Self.machine(phase)
        #expect(machine.isExpired(.response) == (phase == .awaitingHead))
        #expect(machine.isExpired(.total) == ![.idle, .closed].contains(phase))
    }

    @Test(
        "A silent peer times out, and the error depends on the phase",
        arguments: [
            (Machine.Phase.idle, Machine.Upload.complete, 20 as UInt64, Machine.Silence.none),
            (.closed, .complete, 20, .none),
            (.awaitingHead, .complete, 9, .checkAgain(time(10))),
            (.awaitingHead, .complete, 10, .expired(.response)),
            (.awaitingHead, .leaving, 10, .expired(.request)),
            (.awaitingHead, .waiting, 10, .expired(.request)),
            (.receiving, .complete, 9, .checkAgain(time(10))),
            (.receiving, .complete, 10, .expired(.body)),
        ])
    func silence(phase: Machine.Phase, upload: Machine.Upload, now: UInt64, silence: Machine.Silence) {
        let machine = Self.machine(phase, upload)
        #expect(machine.silence(limit: .seconds(10), now: Self.time(now)) == silence)
    }

    @Test("A full read buffer does not count as silence of the peer, and the timeout restarts when it is read")
    func slowReader() {
        var machine = Self.machine(.receiving)
        machine.noteCapacity(false)
        #expect(machine.silence(limit: .seconds(10), now: Self.time(50)) == .checkAgain(Self.time(60)))
        machine.produceMore(now: Self.time(55))
        #expect(machine.hasCapacity)
        #expect(machine.silence(limit: .seconds(10), now: Self.time(60)) == .checkAgain(Self.time(65)))
        #expect(machine.silence(limit: .seconds(10), now: Self.time(65)) == .expired(.body))
    }
}
