// SPDX-License-Identifier: BSD-2-Clause
/**
 * One thread parks, another unparks it. Prints `park BEFORE_NS AFTER_NS` by the sleeper and `unpark BEFORE_NS AFTER_NS` by the
 * waker, in System.nanoTime(), which is CLOCK_MONOTONIC. Arguments: seconds gap-ms.
 */
import java.util.concurrent.locks.LockSupport;

public class Park {
	private static volatile int wakes;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		long gap = args.length > 1 ? Long.parseLong(args[1]) : 20;
		Thread sleeper = new Thread(() -> sleep(end), "park-sleeper");
		Thread waker = new Thread(() -> wake(end, gap, sleeper), "park-waker");

		sleeper.start();
		waker.start();
		waker.join();
		System.exit(0);
	}

	private static void sleep(long end) {
		for (int seen = wakes; System.nanoTime() < end; seen = wakes) {
			long before = System.nanoTime();

			while (wakes == seen)
				LockSupport.park();
			System.out.println("park " + before + " " + System.nanoTime());
		}
	}

	private static void wake(long end, long gap, Thread sleeper) {
		while (System.nanoTime() < end) {
			try {
				Thread.sleep(gap);
			} catch (InterruptedException e) {
				return;
			}
			long before = System.nanoTime();

			wakes++;
			LockSupport.unpark(sleeper);
			System.out.println("unpark " + before + " " + System.nanoTime());
		}
	}
}
