// SPDX-License-Identifier: BSD-2-Clause
/**
 * Two threads contend for one monitor: the holder keeps it for some time, the waiter wants it meanwhile. Prints `hold FROM_NS TO_NS`
 * (TO: just before it lets go) and `wait FROM_NS TO_NS`, in System.nanoTime(). Arguments: seconds hold-ms.
 */
public class Monitor {
	private static final Object lock = new Object();
	private static volatile boolean held;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		long hold = args.length > 1 ? Long.parseLong(args[1]) : 20;
		Thread waiter = new Thread(() -> contend(end), "monitor-waiter");

		waiter.setDaemon(true);
		waiter.start();
		Thread holder = new Thread(() -> hold(end, hold), "monitor-holder");

		holder.start();
		holder.join();
	}

	private static void hold(long end, long hold) {
		while (System.nanoTime() < end) {
			long from;

			synchronized (lock) {
				from = System.nanoTime();
				held = true;
				sleep(hold);
				held = false;
				System.out.println("hold " + from + " " + System.nanoTime());
			}
			sleep(hold);
		}
	}

	private static void contend(long end) {
		while (System.nanoTime() < end) {
			if (!held) {
				sleep(1);
				continue;
			}
			long from = System.nanoTime();

			synchronized (lock) {
				long to = System.nanoTime();

				System.out.println("wait " + from + " " + to);
			}
		}
	}

	private static void sleep(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}
}
