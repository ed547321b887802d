"""What every request meets, whatever it asks for.

=============  =============================================================================
`connection`   how a request arrives: in bounds of size and of time
`exchange`     how an answer leaves: in one piece, if it is short
`joined`       what is written together is sent together (between workers)
`hosts`        the names under which the arena may be asked
`bodies`       bodies that are read in front of the application
`fast_lane`    a plain submission without the framework's ceremony
`repeats`      the same request again (Idempotency-Key) gets the same answer again
`requests`     how a request is read: what it accepts, what it says it is, its body
`origin`       refuses what another web site made a browser send
`browsers`     a person is sent to the page; headers that keep browsers safe
`queries`      what several routes are asked alike: a page of a list, waiting for news
`problems`     what goes wrong: problem details (RFC 9457) with stable codes
`addresses`    absolute addresses, as the client at hand reaches us
=============  =============================================================================
"""
