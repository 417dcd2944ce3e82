// SPDX-License-Identifier: BSD-2-Clause
/** Waits for connections that never come, and for nothing else: a JVM at rest. Arguments: seconds. */
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

public class IdleServer {
	public static void main(String[] args) throws IOException, InterruptedException {
		long seconds = Long.parseLong(args[0]);
		ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
		Thread acceptor = new Thread(() -> {
			try {
				socket.accept();
			} catch (IOException e) {
				// closed: its time is over
			}
		}, "idle-acceptor");

		acceptor.start();
		Thread.sleep(seconds * 1000);
		socket.close();
	}
}
